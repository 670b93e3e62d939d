import { limits } from '#model';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Maximum bytes of one uploaded message; the handshake tells clients to stay below it. */
export const uploadMessages = {
  scalars: 512 * KiB,
  tensors: 12 * MiB,
  blobChunk: 4 * MiB,
} as const;

/** Maximum bytes of a message with data; other messages contain names, ids and numbers. */
const large: Readonly<Record<string, number>> = {
  '/tensorboard.service.TensorBoardWriterService/WriteScalar': uploadMessages.scalars,
  '/tensorboard.service.TensorBoardWriterService/WriteTensor': uploadMessages.tensors,
  '/tensorboard.service.TensorBoardWriterService/WriteBlob': uploadMessages.blobChunk,
  // Maximum bytes of a message with filters, which can list thousands of runs and tags.
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

/** Maximum bytes of a method's message. */
export function messageBytesOf(path: string): number {
  return large[path] ?? small;
}

/**
 * Bytes of a message that a call keeps after reading it, until its response: for uploads, the whole
 * message, because they may wait for a permit.
 */
export function keptBytesOf(path: string): number {
  return path.startsWith('/tensorboard.service.TensorBoardWriterService/') ? messageBytesOf(path) : 0;
}

/** Maximum bytes of any message: set on the connection, before reading. */
export const maxMessageBytes = Math.max(small, ...Object.values(large)) + 64 * KiB;
