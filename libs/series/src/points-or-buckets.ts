import type { PointColumns } from '#model';
import type { BucketSink } from './bucket-columns.ts';
import { copyPoints } from './point-range.ts';

/** Keeps up to `most` points as they are, in columns of their own; once there are more, all of them go into buckets. */
export class PointsOrBuckets {
  readonly #most: number;
  readonly #makeSink: () => BucketSink;
  #kept: PointColumns[] | null = [];
  #count = 0;
  #sink: BucketSink | null = null;

  /** `most` -1: none is kept, not even none. */
  constructor(most: number, makeSink: () => BucketSink) {
    this.#most = most;
    this.#makeSink = makeSink;
  }

  /** What is added may be overwritten afterwards. */
  add(points: PointColumns): void {
    this.#count += points.steps.length;
    if (this.#kept && this.#count <= this.#most) {
      if (points.steps.length > 0) this.#kept.push(copyPoints(points));
      return;
    }
    for (const part of [...(this.#kept ?? []), points]) if (part.steps.length > 0) this.buckets.addPoints(part);
    this.#kept = null;
  }

  /** All points, as they were added; null: there were too many. */
  get points(): readonly PointColumns[] | null {
    return this.#kept;
  }

  /** Of all points, where there were too many. */
  get buckets(): BucketSink {
    return (this.#sink ??= this.#makeSink());
  }
}
