import { crc32c } from '@node-rs/crc32';
import { BlobDamaged, BlobNotFound } from '#blobs';
import { seededRandom, type TenantId } from '#model';
import { decompress } from './compression.ts';
import type { ChunkEntry, Complete, SnapshotBlobs } from './snapshot-place.ts';
import { lengthBytes } from './split-writer.ts';

/** A chunk of a snapshot is missing, or its bytes differ from those written. */
export class SnapshotDamaged extends Error {
  readonly key: string;

  constructor(key: string, detail: string, options?: ErrorOptions) {
    super(`the chunk ${key} of a snapshot is damaged: ${detail}`, options);
    this.name = 'SnapshotDamaged';
    this.key = key;
  }
}

/** A complete snapshot to be read. */
export interface SplitsToRead {
  readonly blobs: SnapshotBlobs;
  readonly tenantId: TenantId;
  readonly chunkKey: (number: number) => string;
  readonly final: Complete;
  /** Null keeps the splits in their order. */
  readonly shuffleSeed: number | null;
  /**
   * The first element to read from a source that was dealt round-robin. The chunks of earlier
   * elements are not read.
   */
  readonly from?: number;
  /**
   * The end (exclusive) of the elements to read from such a source: no chunk is read for later
   * elements. By default, all elements are read.
   */
  readonly to?: number;
}

/**
 * Yields one element of each split in turn, which restores the order of a source that was dealt
 * round-robin. The next chunk of every split is fetched ahead, all in parallel.
 */
export async function* readSplits(snapshot: SplitsToRead): AsyncGenerator<Uint8Array> {
  const { final, shuffleSeed } = snapshot;
  const order = shuffleSeed === null ? final.splits : shuffled(final.splits, shuffleSeed);
  const { from = 0, to = final.elements } = snapshot;
  const before = (element: number, split: number): number => Math.max(0, Math.ceil((element - split) / order.length));
  const places = order.map((chunks, split) => ({
    chunks: snapshot.to === undefined ? chunks : firstChunks(chunks, before(to, split)),
    skipped: before(from, split),
  }));
  let left = to - from;
  const first = from % Math.max(1, places.length);
  let readers = [...places.slice(first), ...places.slice(0, first)].map(
    ({ chunks, skipped }) => new SplitReader(snapshot, chunks, skipped),
  );
  while (readers.length > 0 && left > 0) {
    let ended = false;
    for (const reader of readers) {
      if (left === 0) return;
      const element = reader.take() ?? (await reader.next());
      if (element) {
        left--;
        yield element;
      } else ended = true;
    }
    if (ended) readers = readers.filter((reader) => !reader.isAtEnd);
  }
}

/** The chunks of a split that contain its first elements. */
function firstChunks(chunks: readonly ChunkEntry[], elements: number): readonly ChunkEntry[] {
  let count = 0;
  for (let held = 0; count < chunks.length && held < elements; count++) held += chunks[count]!.elements;
  return chunks.slice(0, count);
}

class SplitReader {
  readonly #snapshot: SplitsToRead;
  readonly #chunks: readonly ChunkEntry[];
  #at = 0;
  #ahead: Promise<Uint8Array[]> | null = null;
  #elements: readonly Uint8Array[] = [];
  #element = 0;
  /** Number of elements at the front of the first chunk that are not wanted. */
  #skip: number;
  isAtEnd = false;

  /** `skipped`: the number of the split's elements that are not wanted. */
  constructor(snapshot: SplitsToRead, chunks: readonly ChunkEntry[], skipped: number) {
    this.#snapshot = snapshot;
    this.#chunks = chunks;
    let left = skipped;
    while (this.#at < chunks.length && chunks[this.#at]!.elements <= left) left -= chunks[this.#at++]!.elements;
    this.#skip = left;
    this.#fetchAhead();
  }

  /** The next element of the current chunk, if there is one. */
  take(): Uint8Array | undefined {
    return this.#elements[this.#element++];
  }

  /** The first element of the next chunk; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (!this.#ahead) {
      this.isAtEnd = true;
      return undefined;
    }
    this.#elements = await this.#ahead;
    this.#element = this.#skip;
    this.#skip = 0;
    this.#fetchAhead();
    return this.take();
  }

  #fetchAhead(): void {
    const chunk = this.#chunks[this.#at++];
    this.#ahead = chunk ? readChunk(this.#snapshot, chunk) : null;
    this.#ahead?.catch(() => undefined); // thrown where it is awaited
  }
}

async function readChunk({ blobs, tenantId, chunkKey, final }: SplitsToRead, chunk: ChunkEntry): Promise<Uint8Array[]> {
  const key = chunkKey(chunk.number);
  const stored = await blobs.get(tenantId, key).catch((error: unknown) => {
    if (error instanceof BlobNotFound) throw new SnapshotDamaged(key, 'it is missing', { cause: error });
    if (error instanceof BlobDamaged) throw new SnapshotDamaged(key, error.message, { cause: error });
    throw error;
  });
  if (stored.length !== chunk.bytes) throw new SnapshotDamaged(key, `it has ${stored.length} bytes instead of ${chunk.bytes}`);
  if (crc32c(stored) !== chunk.crc32c) throw new SnapshotDamaged(key, 'its CRC-32C does not match');
  const plain = await decompress(final.compression, stored, chunk.plain_bytes);
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  const elements: Uint8Array[] = [];
  for (let at = 0; at < plain.length;) {
    const end = at + lengthBytes + view.getUint32(at, true);
    elements.push(plain.subarray(at + lengthBytes, end));
    at = end;
  }
  if (elements.length !== chunk.elements) throw new SnapshotDamaged(key, `it has ${elements.length} elements instead of ${chunk.elements}`);
  return elements;
}

/** A Fisher–Yates shuffle; the seed determines the order. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  const random = seededRandom(seed);
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
