import type { PointColumns, TagName } from '#model';
import type { ScalarSeries } from '#store';
import { gridBuckets, type SharedBuckets, shareBuckets } from './bucket-range.ts';
import { logBuckets } from './log-buckets.ts';
import type { BucketRequest } from './scalar-request.ts';

/** A series of the request, with the part of its tail in the range. */
export interface PlannedSeries {
  readonly series: ScalarSeries;
  readonly tail: PointColumns;
}

/** Steps at which a series' cells start: `origin`, and every `width` steps after it. */
export interface StepGrid {
  readonly origin: bigint;
  readonly width: bigint;
  /** The number of points in the longest series. */
  readonly points: number;
}

interface Member extends PlannedSeries {
  readonly grid?: StepGrid | null;
}

/** The bucket ranges of a request, each created when first needed. */
export class SharedRanges {
  readonly #request: BucketRequest;
  readonly #members = new Map<string, Member[]>();
  readonly #made = new Map<string, SharedBuckets>();

  constructor(request: BucketRequest, planned: readonly Member[]) {
    this.#request = request;
    for (const one of planned) {
      const key = this.#key(one.series.tag);
      const members = this.#members.get(key);
      if (members) members.push(one);
      else this.#members.set(key, [one]);
    }
  }

  of(tag: TagName): SharedBuckets {
    const key = this.#key(tag);
    let made = this.#made.get(key);
    if (!made) {
      const members = this.#members.get(key) ?? [];
      const data = dataRange(members);
      const { from, to } = { from: this.#request.from ?? data.from, to: this.#request.to ?? data.to };
      const grid = longestGrid(members);
      if (this.#request.spacing === 'log') made = logBuckets(from, to, this.#request.points);
      made ??= (grid && gridBuckets(from, to, this.#request.points, grid)) ?? shareBuckets(from, to, this.#request.points);
      this.#made.set(key, made);
    }
    return made;
  }

  #key(tag: TagName): string {
    return this.#request.align === 'request' ? '' : tag;
  }
}

function longestGrid(members: readonly Member[]): StepGrid | null {
  return members.reduce<StepGrid | null>((best, { grid }) => (grid && (!best || grid.points > best.points) ? grid : best), null);
}

function dataRange(members: readonly PlannedSeries[]): { from: bigint; to: bigint } {
  let from: bigint | null = null;
  let to: bigint | null = null;
  for (const { series, tail } of members) {
    const first = series.firstStep ?? tail.steps[0];
    const last = tail.steps[tail.steps.length - 1] ?? series.lastStep;
    if (first !== undefined && (from === null || first < from)) from = first;
    if (last !== null && last !== undefined && (to === null || last > to)) to = last;
  }
  return { from: from ?? 0n, to: to ?? -1n };
}
