import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32c } from '@node-rs/crc32';
import { crc32cHex } from '#model';
import { asServiceError, isRetryable, S3Timeout, S3Truncated } from './s3-errors.ts';
import type { S3Options } from './s3-options.ts';

/** One body that is sent, with what lets the store check it on arrival. */
export interface S3Body {
  readonly bytes: Buffer;
  readonly crc32c: string;
  /** Parts of the request: the CRC-32C, or MD5 for stores that know no checksum headers. */
  readonly guard: { readonly ChecksumCRC32C: string } | { readonly ContentMD5: string };
}

export function bodyOf(bytes: Uint8Array | readonly Uint8Array[], checksums: S3Options['checksums']): S3Body {
  const joined = bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.concat(bytes);
  const crc = crc32c(joined);
  return { bytes: joined, crc32c: crc32cHex(crc), guard: guardOf(joined, crc, checksums) };
}

function guardOf(bytes: Buffer, crc: number, checksums: S3Options['checksums']): S3Body['guard'] {
  if (checksums === 'when-required') return { ContentMD5: createHash('md5').update(bytes).digest('base64') };
  const big = Buffer.alloc(4);
  big.writeUInt32BE(crc);
  return { ChecksumCRC32C: big.toString('base64') };
}

/** What a GET answered. */
export interface S3Answer {
  readonly Body?: unknown;
  readonly ContentLength?: number | undefined;
}

/** Lets go of a body that nobody reads: its connection would wait for ever. */
export function discard(answer: S3Answer): void {
  if (answer.Body instanceof Readable) answer.Body.destroy();
}

/** All of an answer's body. Throws {@link S3Truncated} when it has not as many bytes as the answer said. Ends with the signal. */
export async function bytesOf(answer: S3Answer, signal: AbortSignal): Promise<Buffer> {
  const body = bodyIn(answer);
  const end = (): void => void body.destroy(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const pieces: Buffer[] = [];
    for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    requireLength(answer, bytes.length);
    return bytes;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * The pieces of an answer's body. Where it breaks off, or brings nothing for `idleMs` while somebody waits, `askFrom` is asked for the rest behind
 * what was received, `attempts` times without progress.
 */
export async function* resumedBody(
  first: S3Answer,
  { attempts, idleMs }: { readonly attempts: number; readonly idleMs: number },
  askFrom: (received: number) => Promise<S3Answer | null>,
): AsyncGenerator<Buffer> {
  const length = first.ContentLength ?? 0;
  let received = 0;
  let fruitless = 0;
  let answer: S3Answer | null = first;
  while (answer) {
    const body = bodyIn(answer);
    const iterator = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await nextPiece(body, iterator, idleMs);
        if (piece instanceof Buffer) {
          received += piece.length;
          fruitless = 0;
          yield piece;
          continue;
        }
        if (received === length) return;
        const failure = piece ?? new S3Truncated(`the answer ended after ${received} of ${length} bytes`);
        if (++fruitless > attempts || !isRetryable(failure)) throw asServiceError('read an object', failure);
        break;
      }
    } finally {
      body.destroy();
    }
    answer = await askFrom(received);
  }
  throw new S3Truncated(`the object ended after ${received} of ${length} bytes`);
}

/** The next piece, null at the end, or what went wrong. */
async function nextPiece(body: Readable, iterator: AsyncIterator<Buffer>, idleMs: number): Promise<Buffer | Error | null> {
  const timer = setTimeout(() => body.destroy(new S3Timeout(`no byte came for ${idleMs} ms`)), idleMs);
  try {
    const step = await iterator.next();
    return step.done ? null : step.value;
  } catch (error) {
    return error instanceof Error ? error : new S3Truncated(String(error));
  } finally {
    clearTimeout(timer);
  }
}

function bodyIn(answer: S3Answer): Readable {
  if (!(answer.Body instanceof Readable)) throw new S3Truncated('the answer has no body');
  return answer.Body;
}

function requireLength(answer: S3Answer, bytes: number): void {
  if (answer.ContentLength !== undefined && bytes !== answer.ContentLength)
    throw new S3Truncated(`the answer has ${bytes} bytes and not ${answer.ContentLength}`);
}
