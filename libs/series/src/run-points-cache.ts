import type { RunId } from '#model';
import type { CachedPoint } from './point-cache.ts';

/** The point of each run that has one. */
export type RunPoints = ReadonlyMap<RunId, CachedPoint>;

/**
 * Approximate overhead of the points of no runs, in points, so that the number of entries is
 * bounded too. A guess, not measured.
 */
const overhead = 10;

/** An LRU cache of one point of each run of an experiment, bounded in points. */
export class RunPointsCache {
  readonly #max: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, RunPoints>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The result is shared: do not modify it. */
  get(key: string): RunPoints | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  put(key: string, points: RunPoints): void {
    if (this.#entries.has(key) || sizeOf(points) > this.#max) return;
    this.#entries.set(key, points);
    this.#size += sizeOf(points);
    for (const [oldest, others] of this.#entries) {
      if (this.#size <= this.#max) return;
      this.#entries.delete(oldest);
      this.#size -= sizeOf(others);
    }
  }
}

function sizeOf({ size }: RunPoints): number {
  return size + overhead;
}
