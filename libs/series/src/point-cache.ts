/** A point as it was logged. */
export interface CachedPoint {
  readonly step: bigint;
  readonly value: number;
  readonly wallTime: number;
}

/** An LRU cache of single points of chunks that do not change, bounded in number. */
export class PointCache {
  readonly #max: number;
  /** Least recently used first. */
  readonly #points = new Map<string, CachedPoint>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): CachedPoint | undefined {
    const found = this.#points.get(key);
    if (found === undefined) return undefined;
    this.#points.delete(key);
    this.#points.set(key, found);
    return found;
  }

  put(key: string, point: CachedPoint): void {
    this.#points.delete(key);
    this.#points.set(key, point);
    if (this.#points.size <= this.#max) return;
    for (const oldest of this.#points.keys()) {
      this.#points.delete(oldest);
      return;
    }
  }
}
