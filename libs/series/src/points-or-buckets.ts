import type { PointColumns } from '#model';
import type { BucketSink } from './bucket-columns.ts';
import { copyPoints } from './point-range.ts';

/**
 * Keeps up to `max` points unchanged, in new columns; once there are more, puts all of them into
 * buckets.
 */
export class PointsOrBuckets {
  readonly #max: number;
  readonly #makeSink: () => BucketSink;
  #kept: PointColumns[] | null = [];
  #count = 0;
  #sink: BucketSink | null = null;

  /** If `max` is -1, everything goes into buckets, even if there are no points. */
  constructor(max: number, makeSink: () => BucketSink) {
    this.#max = max;
    this.#makeSink = makeSink;
  }

  /** The caller may overwrite the added points afterwards. */
  add(points: PointColumns): void {
    this.#count += points.steps.length;
    if (this.#kept && this.#count <= this.#max) {
      if (points.steps.length > 0) this.#kept.push(copyPoints(points));
      return;
    }
    for (const part of [...(this.#kept ?? []), points]) if (part.steps.length > 0) this.buckets.addPoints(part);
    this.#kept = null;
  }

  /** All points, as added; null if there were too many. */
  get points(): readonly PointColumns[] | null {
    return this.#kept;
  }

  /** The buckets of all points, if there were too many. */
  get buckets(): BucketSink {
    return (this.#sink ??= this.#makeSink());
  }
}
