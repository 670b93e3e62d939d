import { lowerBound } from '#chunks';
import type { PointColumns } from '#model';
import type { ScalarSeries, Snapshot } from '#store';
import { type SharedBuckets } from './bucket-range.ts';
import { SharedRanges } from './shared-ranges.ts';
import { walkEffective } from './effective-points.ts';
import { clip, joinPoints } from './point-range.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { noTail, pickPoints, type SeriesTail } from './tail-points.ts';

/**
 * Reads `last`: the last point of each bucket, with the buckets of `minmax`. Walks all points, so
 * bounds hold exactly.
 */
export async function readLast(
  snapshot: Snapshot,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<SeriesResult[]> {
  const range = stepRange(request);
  const planned = list.map((series) => ({ series, tail: clip((tails.get(series.seriesId) ?? noTail).effective, range.from, range.to) }));
  const shared = new SharedRanges(request, planned);
  const kept = list.map((series) => new LastOfBuckets(shared.of(series.tag)));
  await walkEffective(snapshot, range, list, tails, (index, part) => kept[index]!.add(part.points));
  return list.map((series, i) => {
    const points = kept[i]!.finish();
    const sourcePoints = kept[i]!.seen;
    return {
      run: series.run,
      tag: series.tag,
      writer: series.writer,
      sampling: 'last',
      exact: points.steps.length === sourcePoints,
      sourcePoints,
      content: { points },
    };
  });
}

/** Accepts points with rising steps, and keeps the last point of each bucket. */
class LastOfBuckets {
  seen = 0;
  readonly #bounds: SharedBuckets['bounds'];
  readonly #kept: PointColumns[] = [];
  /** Last point so far, which may not be the last of its bucket. */
  #open: { readonly bucket: number; readonly point: PointColumns } | null = null;

  constructor(buckets: SharedBuckets) {
    this.#bounds = buckets.bounds;
  }

  add(points: PointColumns): void {
    const { steps } = points;
    this.seen += steps.length;
    const picks: number[] = [];
    for (let i = 0; i < steps.length;) {
      const bucket = this.#bucketOf(steps[i]!);
      const next = this.#bounds[bucket + 1];
      const end = next === undefined ? steps.length : lowerBound(steps, BigInt(next));
      if (this.#open && this.#open.bucket !== bucket) this.#kept.push(this.#open.point);
      this.#open = null;
      if (end === steps.length) this.#open = { bucket, point: pickPoints(points, [end - 1]) };
      else picks.push(end - 1);
      i = end;
    }
    // The previous open point comes before these points; the new one follows them.
    this.#kept.push(pickPoints(points, picks));
  }

  finish(): PointColumns {
    if (this.#open) this.#kept.push(this.#open.point);
    this.#open = null;
    return joinPoints(this.#kept);
  }

  #bucketOf(step: bigint): number {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bounds[middle]! <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
