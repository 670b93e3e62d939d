/**
 * Series as a byte stream, with their points in stored form: the response type
 * `application/vnd.plotline.chunks` of the read API. Every series is
 *
 * ```
 * 4 bytes   length of the head, little-endian
 * head      JSON: {"run", "tag", "writer", "pieces": [[form, bytes], …]}
 * pieces    one after another: a chunk body, or plain columns
 * ```
 *
 * Plain columns are steps (int64), wall times and values (float64), little-endian, column by
 * column.
 */
import type { PointColumns, RunName, TagName } from '#model';
import { decodeBody } from './body.ts';
import { CorruptChunkError, maxChunkPoints } from './chunk.ts';
import { newPoints, slicePoints } from './point-slices.ts';

/** Points of a series: a chunk body, or plain columns ({@link plainPiece}). */
export interface StoredPiece {
  readonly form: 'chunk' | 'plain';
  readonly bytes: Uint8Array;
}

/** Some effective points of a series, with rising steps. */
export interface StoredSeries {
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer: number;
  readonly pieces: readonly StoredPiece[];
}

/** A series of the stream, with its points decoded. */
export interface DecodedSeries extends PointColumns {
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer: number;
}

/** The bytes of a series, in parts that share memory with its pieces. */
export function encodeStoredSeries({ run, tag, writer, pieces }: StoredSeries): Uint8Array[] {
  const head = Buffer.from(JSON.stringify({ run, tag, writer, pieces: pieces.map(({ form, bytes }) => [form, bytes.length]) }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return [length, head, ...pieces.map(({ bytes }) => bytes)];
}

/** Points as plain columns. */
export function plainPiece({ steps, wallTimes, values }: PointColumns): StoredPiece {
  const columns = [steps, wallTimes, values].map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return { form: 'plain', bytes: Buffer.concat(columns) };
}

/**
 * Decodes a stream; throws {@link CorruptChunkError} for anything that {@link encodeStoredSeries}
 * does not write.
 */
export function* decodeStoredSeries(bytes: Uint8Array): Generator<DecodedSeries> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > view.length) throw new CorruptChunkError('the stream of series is truncated');
    at += length;
    return view.subarray(at - length, at);
  };
  while (at < view.length) {
    const { run, tag, writer, pieces } = parseHead(take(take(4).readUInt32LE()));
    let count = 0;
    for (const [form, length] of pieces) {
      const piece = take(length);
      count += form === 'chunk' ? decodeInto(count, piece) : copyPlain(count, piece);
    }
    const { steps, wallTimes, values } = slicePoints(scratch, 0, count);
    yield { run, tag, writer, steps: steps.slice(), wallTimes: wallTimes.slice(), values: values.slice() };
  }
}

/** A growing buffer for the points of one series at a time. */
let scratch = newPoints(maxChunkPoints);

function reserve(count: number): void {
  if (count <= scratch.steps.length) return;
  const grown = newPoints(Math.max(count, 2 * scratch.steps.length));
  grown.steps.set(scratch.steps);
  grown.wallTimes.set(scratch.wallTimes);
  grown.values.set(scratch.values);
  scratch = grown;
}

function decodeInto(at: number, body: Uint8Array): number {
  reserve(at + maxChunkPoints);
  return decodeBody(body, slicePoints(scratch, at, at + maxChunkPoints)).points.steps.length;
}

function copyPlain(at: number, bytes: Uint8Array): number {
  const count = bytes.length / 24;
  if (!Number.isInteger(count)) throw new CorruptChunkError('plain columns have different lengths');
  reserve(at + count);
  const columns = [scratch.steps, scratch.wallTimes, scratch.values];
  for (const [i, column] of columns.entries())
    new Uint8Array(column.buffer, at * 8, count * 8).set(bytes.subarray(i * count * 8, (i + 1) * count * 8));
  return count;
}

function parseHead(bytes: Buffer) {
  let head: unknown;
  try {
    head = JSON.parse(bytes.toString());
  } catch (error) {
    throw new CorruptChunkError('the head of a series is not JSON', { cause: error });
  }
  if (!isHead(head)) throw new CorruptChunkError('the head of a series is not known');
  return head;
}

type Head = Omit<StoredSeries, 'pieces'> & { readonly pieces: readonly (readonly [StoredPiece['form'], number])[] };

function isHead(value: unknown): value is Head {
  const { run, tag, writer, pieces } = (value ?? {}) as Partial<Record<keyof Head, unknown>>;
  return (
    typeof run === 'string' && typeof tag === 'string' && Number.isSafeInteger(writer) && Array.isArray(pieces) && pieces.every(isPiece)
  );
}

function isPiece(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [form, bytes] = value as readonly unknown[];
  return (form === 'chunk' || form === 'plain') && Number.isSafeInteger(bytes) && Number(bytes) >= 0;
}
