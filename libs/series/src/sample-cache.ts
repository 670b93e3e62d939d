import type { PointColumns } from '#model';

/** Identifies a sample: the same string always means the same points. */
export type SampleKey = string;

/** Approximate overhead of a sample in addition to its columns. A guess, not measured. */
const overheadBytes = 300;

/** An LRU cache of samples of series that do not change, bounded in bytes. */
export class SampleCache {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #samples = new Map<SampleKey, PointColumns>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The result is shared: do not modify it. */
  get(key: SampleKey): PointColumns | null {
    const found = this.#samples.get(key);
    if (!found) return null;
    this.#samples.delete(key);
    this.#samples.set(key, found);
    return found;
  }

  put(key: SampleKey, points: PointColumns): void {
    const bytes = bytesOf(points);
    if (this.#samples.has(key) || bytes > this.#maxBytes / 16) return;
    this.#samples.set(key, points);
    this.#bytes += bytes;
    for (const [oldest, sample] of this.#samples) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#samples.delete(oldest);
      this.#bytes -= bytesOf(sample);
    }
  }
}

/** The memory that the sample keeps alive: a column can be a view of a larger buffer. */
function bytesOf({ steps, wallTimes, values }: PointColumns): number {
  return steps.buffer.byteLength + wallTimes.buffer.byteLength + values.buffer.byteLength + overheadBytes;
}
