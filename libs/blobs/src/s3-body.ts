import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32c } from '@node-rs/crc32';
import type { ContentCheck } from './content-check.ts';
import { asServiceError, isRetryable, S3Timeout, S3Truncated } from './s3-errors.ts';
import type { S3Options } from './s3-options.ts';

/** A body to send, and the parameters that the store verifies it with. */
export interface S3Body {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  readonly crc32c: number;
  /** Request parameters: the CRC-32C, or MD5 for stores without checksum headers. */
  readonly guard: { readonly ChecksumCRC32C: string } | { readonly ContentMD5: string };
}

/** `known` is the CRC-32C of the bytes, if already computed. */
export function bodyOf(bytes: Uint8Array | readonly Uint8Array[], checksums: S3Options['checksums'], known?: number): S3Body {
  // Empty pieces are skipped, because a stream treats them as a pause.
  const pieces = bytes instanceof Uint8Array ? [bytes] : bytes.filter(({ length }) => length > 0);
  const crc = known ?? pieces.reduce((sum, piece) => crc32c(piece, sum), 0);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { pieces, length, crc32c: crc, guard: guardOf(pieces, crc, checksums) };
}

/** A body in the form that a request needs. */
interface SentBody {
  readonly Body: Uint8Array | Readable;
  readonly ContentLength: number;
}

/**
 * Must be created for each attempt, because a stream can be read only once. Pieces are sent
 * unjoined, because joining megabytes costs about as much as sending them. A signed body must be in
 * one piece.
 */
export function sentBody({ pieces, length }: S3Body, signed: boolean): SentBody {
  if (pieces.length === 1) return { Body: pieces[0]!, ContentLength: length };
  if (signed || pieces.length === 0) return { Body: Buffer.concat(pieces), ContentLength: length };
  let sent = 0;
  const read = function (this: Readable): void {
    this.push(pieces[sent++] ?? null);
  };
  return { Body: new Readable({ read }), ContentLength: length };
}

function guardOf(pieces: readonly Uint8Array[], crc: number, checksums: S3Options['checksums']): S3Body['guard'] {
  if (checksums === 'when-required') {
    const md5 = createHash('md5');
    for (const piece of pieces) md5.update(piece);
    return { ContentMD5: md5.digest('base64') };
  }
  const big = Buffer.alloc(4);
  big.writeUInt32BE(crc);
  return { ChecksumCRC32C: big.toString('base64') };
}

/** The response to a GET. */
export interface S3Response {
  readonly Body?: unknown;
  readonly ContentLength?: number | undefined;
}

/** Releases a body that will not be read; otherwise, its connection would wait forever. */
export function discard(response: S3Response): void {
  if (response.Body instanceof Readable) response.Body.destroy();
}

/**
 * The complete body of a response, in the pieces in which it arrives. `check` gets each piece
 * immediately. Throws {@link S3Truncated} if the body is shorter than announced. The signal aborts
 * it.
 */
export async function piecesOf(response: S3Response, signal: AbortSignal, check?: ContentCheck): Promise<Buffer[]> {
  const body = bodyIn(response);
  const end = (): void => void body.destroy(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const pieces: Buffer[] = [];
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      check?.add(piece);
    }
    requireLength(
      response,
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
    check?.finish();
    return pieces;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * The pieces of a response's body. If the response breaks off, or is idle for `idleMs` while the
 * consumer waits, requests the rest with `askFrom`, up to `attempts` times without progress.
 */
export async function* resumedBody(
  first: S3Response,
  { attempts, idleMs }: { readonly attempts: number; readonly idleMs: number },
  askFrom: (received: number) => Promise<S3Response | null>,
): AsyncGenerator<Buffer> {
  const length = first.ContentLength ?? 0;
  let received = 0;
  let fruitless = 0;
  let response: S3Response | null = first;
  while (response) {
    const body = bodyIn(response);
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
        const failure = piece ?? new S3Truncated(`the response ended after ${received} of ${length} bytes`);
        if (++fruitless > attempts || !isRetryable(failure)) throw asServiceError('read an object', failure);
        break;
      }
    } finally {
      body.destroy();
    }
    response = await askFrom(received);
  }
  throw new S3Truncated(`the object ended after ${received} of ${length} bytes`);
}

/** The next piece, or null at the end. Rejects with the error. */
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

function bodyIn(response: S3Response): Readable {
  if (!(response.Body instanceof Readable)) throw new S3Truncated('the response has no body');
  return response.Body;
}

function requireLength(response: S3Response, bytes: number): void {
  if (response.ContentLength !== undefined && bytes !== response.ContentLength)
    throw new S3Truncated(`the response has ${bytes} bytes instead of ${response.ContentLength}`);
}
