import { crc32c } from '@node-rs/crc32';
import type { TenantId } from '#model';
import { compress, type Compression } from './compression.ts';
import type { ChunkEntry, SnapshotBlobs } from './snapshot-place.ts';

/** Context of a {@link SplitWriter}. */
export interface SplitWriterOptions {
  readonly blobs: SnapshotBlobs;
  readonly tenantId: TenantId;
  readonly chunkKey: (number: number) => string;
  readonly compression: Compression;
  readonly splits: number;
  readonly splitOf: (index: number, element: Uint8Array) => number;
  readonly chunkBytes: number;
}

interface Split {
  readonly entries: ChunkEntry[];
  elements: Uint8Array[];
  bytes: number;
  /** The chunk that is being written; a split writes one at a time. */
  writing: Promise<void>;
}

/** Length of an element in a chunk: uint32, little-endian. */
export const lengthBytes = 4;

/** Writes elements as chunks of splits. At most two chunks of each split are in memory. */
export class SplitWriter {
  readonly #options: SplitWriterOptions;
  readonly #splits: readonly Split[];
  #chunks = 0;
  #elements = 0;
  #fault: { readonly error: unknown } | null = null;

  constructor(options: SplitWriterOptions) {
    this.#options = options;
    this.#splits = Array.from({ length: options.splits }, () => ({ entries: [], elements: [], bytes: 0, writing: Promise.resolve() }));
  }

  async add(element: Uint8Array): Promise<void> {
    const split = this.#splits[this.#options.splitOf(this.#elements, element)];
    if (!split) throw new RangeError(`splitOf did not give one of ${this.#splits.length} splits`);
    this.#elements++;
    split.elements.push(element);
    split.bytes += lengthBytes + element.length;
    if (split.bytes >= this.#options.chunkBytes) await this.#write(split);
  }

  /** Resolves when all chunks are durable. */
  async finish(): Promise<{ readonly elements: number; readonly splits: readonly (readonly ChunkEntry[])[] }> {
    for (const split of this.#splits) if (split.elements.length > 0) await this.#write(split);
    await this.#settle();
    return { elements: this.#elements, splits: this.#splits.map(({ entries }) => entries) };
  }

  /** Deletes what was written. */
  async removeAll(): Promise<void> {
    await this.#settle().catch(() => undefined); // its failure was or is thrown elsewhere
    const { blobs, tenantId, chunkKey } = this.#options;
    for (let number = 0; number < this.#chunks; number++) await blobs.delete(tenantId, chunkKey(number));
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#splits.map(({ writing }) => writing));
    if (this.#fault) throw this.#fault.error;
  }

  /** Starts to write the chunk of a split, after its previous one. */
  async #write(split: Split): Promise<void> {
    await split.writing;
    if (this.#fault) throw this.#fault.error;
    const { elements, bytes } = split;
    split.elements = [];
    split.bytes = 0;
    const number = this.#chunks++;
    split.writing = this.#put(split, number, elements, bytes).catch((error: unknown) => {
      this.#fault ??= { error };
    });
  }

  async #put(split: Split, number: number, elements: readonly Uint8Array[], bytes: number): Promise<void> {
    const { blobs, tenantId, chunkKey, compression } = this.#options;
    const plain = Buffer.allocUnsafe(bytes);
    let at = 0;
    for (const element of elements) {
      at = plain.writeUInt32LE(element.length, at);
      plain.set(element, at);
      at += element.length;
    }
    const stored = await compress(compression, plain);
    await blobs.put(tenantId, chunkKey(number), stored);
    split.entries.push({ number, bytes: stored.length, plain_bytes: bytes, crc32c: crc32c(stored), elements: elements.length });
  }
}
