import type { PointColumns } from '#model';

/** What tells a sample from any other: the same text always means the same points. */
export type SampleKey = string;

/** A sample with its bookkeeping takes about so much more than its columns. A guess, not measured. */
const overheadBytes = 300;

/** Samples of series that do not change, the ones that were asked for last, up to a bound in bytes. Those that nobody asks for any more are forgotten. */
export class SampleCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #samples = new Map<SampleKey, PointColumns>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Shared: not to be written to. */
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

/** What it keeps alive: a column may be a part of a larger one. */
function bytesOf({ steps, wallTimes, values }: PointColumns): number {
  return steps.buffer.byteLength + wallTimes.buffer.byteLength + values.buffer.byteLength + overheadBytes;
}
