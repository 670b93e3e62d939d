import { constants, gunzip, zstdDecompress, type ZlibOptions, type ZstdOptions } from 'node:zlib';
import { columnsCoding } from '#columns';
import { Problem } from '#model';
import { bodyTooLarge } from './receive-body.ts';

/** Content codings that a range may use (RFC 9110, 8.4.1; RFC 8878 for zstd; #columns). */
export const codings = ['identity', 'zstd', 'gzip', columnsCoding] as const;
export type Coding = (typeof codings)[number];

/**
 * The decoded bytes. `oneFrame`: whether the body was a single zstd frame, which can be stored
 * unchanged.
 */
export interface DecodedBody {
  readonly bytes: Buffer;
  readonly oneFrame: boolean;
}

/**
 * Decodes a body, off the event loop. The output is limited to `maxBytes` (`body-too-large`),
 * however small the input is. Damaged or truncated input is `corrupt-encoding`.
 */
export async function decodeBody(body: Buffer, coding: 'zstd' | 'gzip', maxBytes: number): Promise<DecodedBody> {
  try {
    if (coding === 'gzip') return { bytes: await unpackGzip(body, maxBytes), oneFrame: false };
    return await unpackZstd(body, maxBytes);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(maxBytes);
    throw new Problem('corrupt-encoding', `The body is not valid ${coding}; send the range again.`, { cause: error });
  }
}

const chunkSize = 256 * 1024;

/**
 * Maximum frames per body. A body can consist of many frames (RFC 8878, 3), and each frame costs a
 * call. Parallel compressors write frames of several megabytes.
 */
const maxFrames = 64;

async function unpackZstd(body: Buffer, maxBytes: number): Promise<DecodedBody> {
  const frames: Buffer[] = [];
  let rest = body;
  let left = maxBytes;
  while (rest.length > 0 || frames.length === 0) {
    if (frames.length === maxFrames) throw new Problem('corrupt-encoding', `A zstd body may have at most ${maxFrames} frames.`);
    const { buffer, consumed } = await unpackFrame(rest, left);
    if (consumed === 0) throw new Problem('corrupt-encoding', 'The body does not end with a complete zstd frame; send the range again.');
    frames.push(buffer);
    left -= buffer.length;
    rest = rest.subarray(consumed);
  }
  return { bytes: frames.length === 1 ? frames[0]! : Buffer.concat(frames), oneFrame: frames.length === 1 };
}

// A frame can request a window of gigabytes. 2^24 covers the largest range.
const zstdOptions: ZstdOptions = { chunkSize, info: true, params: { [constants.ZSTD_d_windowLogMax]: 24 } };

function unpackFrame(body: Buffer, maxBytes: number): Promise<{ buffer: Buffer; consumed: number }> {
  return new Promise((resolve, reject) => {
    // maxOutputLength must be positive. An empty frame fits any budget.
    zstdDecompress(body, { ...zstdOptions, maxOutputLength: Math.max(maxBytes, 1) }, (error, result) => {
      if (error) return reject(error);
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } }; // the types lack `info`
      if (buffer.length > maxBytes) return reject(bodyTooLarge(maxBytes));
      resolve({ buffer, consumed: engine.bytesWritten });
    });
  });
}

function unpackGzip(body: Buffer, maxBytes: number): Promise<Buffer> {
  const options: ZlibOptions = { chunkSize, maxOutputLength: maxBytes };
  return new Promise((resolve, reject) => gunzip(body, options, (error, bytes) => (error ? reject(error) : resolve(bytes))));
}
