import { limits } from '#model';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Of what clients upload, bytes of one message; the handshake tells clients to stay below. */
export const uploadMessages = {
  scalars: 512 * KiB,
  tensors: 12 * MiB,
  blobChunk: 4 * MiB,
} as const;

/** Of a message that carries data. The rest is names, ids and numbers. */
const large: Readonly<Record<string, number>> = {
  '/tensorboard.service.TensorBoardWriterService/WriteScalar': uploadMessages.scalars,
  '/tensorboard.service.TensorBoardWriterService/WriteTensor': uploadMessages.tensors,
  '/tensorboard.service.TensorBoardWriterService/WriteBlob': uploadMessages.blobChunk,
  // Filters name runs and tags, thousands of them.
  '/tensorboard.data.TensorBoardDataProvider/ReadScalars': limits.maxQueryBodyBytes,
  '/tensorboard.data.TensorBoardDataProvider/ReadTensors': limits.maxQueryBodyBytes,
  '/tensorboard.data.TensorBoardDataProvider/ReadBlobSequences': limits.maxQueryBodyBytes,
  '/tensorboard.data.TensorBoardDataProvider/ListScalars': limits.maxQueryBodyBytes,
  '/tensorboard.data.TensorBoardDataProvider/ListTensors': limits.maxQueryBodyBytes,
  '/tensorboard.data.TensorBoardDataProvider/ListBlobSequences': limits.maxQueryBodyBytes,
  // The metadata of a series.
  '/tensorboard.service.TensorBoardWriterService/GetOrCreateBlobSequence': 5 * MiB,
};

const small = 64 * KiB;

/** Bytes of a message of a method, at most. */
export function messageBytesOf(path: string): number {
  return large[path] ?? small;
}

/** Bytes that a call keeps of a message that was read, until it was answered: of what is uploaded all of it, which waits where others are served first. */
export function keptBytesOf(path: string): number {
  return path.startsWith('/tensorboard.service.TensorBoardWriterService/') ? messageBytesOf(path) : 0;
}

/** Bytes of any message: the connection is told before it is read. */
export const maxMessageBytes = Math.max(small, ...Object.values(large)) + 64 * KiB;
