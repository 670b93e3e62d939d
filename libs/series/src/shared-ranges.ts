import type { PointColumns } from '#model';
import type { ScalarSeries } from '#store';
import { type SharedBuckets, shareBuckets } from './bucket-range.ts';
import type { ScalarRequest } from './scalar-request.ts';

/** A series of the request, with the part of its tail that lies in the range. */
export interface PlannedSeries {
  readonly series: ScalarSeries;
  readonly tail: PointColumns;
}

/** The bucket ranges of a request, each made when it is first needed. */
export class SharedRanges {
  readonly #request: ScalarRequest;
  readonly #members = new Map<string, PlannedSeries[]>();
  readonly #made = new Map<string, SharedBuckets>();

  constructor(request: ScalarRequest, planned: readonly PlannedSeries[]) {
    this.#request = request;
    for (const one of planned) {
      const key = this.#key(one.series.tag);
      const members = this.#members.get(key);
      if (members) members.push(one);
      else this.#members.set(key, [one]);
    }
  }

  of(tag: string): SharedBuckets {
    const key = this.#key(tag);
    let made = this.#made.get(key);
    if (!made) {
      const { from, to } = dataRange(this.#members.get(key) ?? []);
      made = shareBuckets(this.#request.from ?? from, this.#request.to ?? to, this.#request.points);
      this.#made.set(key, made);
    }
    return made;
  }

  #key(tag: string): string {
    return this.#request.align === 'request' ? '' : tag;
  }
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
