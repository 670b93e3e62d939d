import { concatPoints } from '#chunks';
import type { PointColumns, RunName, SeriesId, TagName } from '#model';
import type { ListedSeries, PickedSeries, SampledSeries } from '#series';

/**
 * TensorBoard knows only one series per run and tag. If several writers logged a tag of a run at
 * the same time, TensorBoard shows the points of all their files. These functions do the same:
 * points are ordered by step, and within a step in log order.
 */
export function mergeListed(list: readonly ListedSeries[]): ListedSeries[] {
  return groupsOf(list, (series) => series).map(([first, ...others]) =>
    others.reduce(
      (all, one) => ({
        ...all,
        maxStep: one.maxStep > all.maxStep ? one.maxStep : all.maxStep,
        maxWallTime: Math.max(all.maxWallTime, one.maxWallTime),
        maxLength: Math.max(all.maxLength ?? 0, one.maxLength ?? 0),
      }),
      first,
    ),
  );
}

/**
 * Merges sampled series. `max`: maximum points per series. If it is at least 4, a merged series
 * keeps the minimum and the maximum of each part, so that no spike is lost.
 */
export function mergeSampled(list: readonly SampledSeries[], max: number): SampledSeries[] {
  return groupsOf(list, (series) => series).map((group) => {
    if (group.length === 1) return group[0];
    const all = concatPoints(group.map(({ points }) => points));
    const order = Array.from(all.steps.keys()).sort(
      (a, b) => compare(all.steps[a]!, all.steps[b]!) || compare(all.wallTimes[a]!, all.wallTimes[b]!) || a - b,
    );
    return { ...group[0], points: picked(all, withExtremes(order, all.values, max)) };
  });
}

/** The values of a run and tag, each with its series. */
export interface MergedValues<Value> {
  readonly run: RunName;
  readonly tag: TagName;
  readonly values: readonly (Value & { readonly seriesId: SeriesId })[];
}

/** Merges picked values. `max`: maximum values per series. */
export function mergePicked<Value extends { readonly step: bigint; readonly wallTime: number }>(
  list: readonly PickedSeries<Value>[],
  max: number,
): MergedValues<Value>[] {
  return groupsOf(list, ({ series }) => series).map((group) => {
    const values = group.flatMap(({ series: { seriesId }, values: own }) => own.map((value) => ({ ...value, seriesId })));
    if (group.length > 1) values.sort((a, b) => compare(a.step, b.step) || compare(a.wallTime, b.wallTime));
    const { run, tag } = group[0].series;
    return { run, tag, values: group.length > 1 ? evenly(values, max) : values };
  });
}

type NotEmpty<One> = readonly [One, ...One[]];

/** Groups items by run and tag, in list order. */
function groupsOf<One>(list: readonly One[], nameOf: (one: One) => { readonly run: RunName; readonly tag: TagName }): NotEmpty<One>[] {
  const groups = Map.groupBy(list, (one) => JSON.stringify([nameOf(one).run, nameOf(one).tag]));
  return [...groups.values()] as unknown as NotEmpty<One>[];
}

/** At most this many items, evenly spaced, including the last item. */
function evenly<One>(list: readonly One[], max: number): readonly One[] {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, i) => list[Math.floor(((i + 1) * list.length) / max) - 1]!);
}

/**
 * Selects at most `max` indexes of a longer list, in order: the first, the last, and the smallest
 * and largest value of each of the equal parts between them. Skips NaN; a part with only NaN keeps
 * its first index.
 */
function withExtremes(order: readonly number[], values: Float64Array, max: number): readonly number[] {
  if (order.length <= max) return order;
  if (max < 4) return evenly(order, max);
  const inner = order.slice(1, -1);
  const parts = Math.floor((max - 2) / 2);
  const kept = Array.from({ length: parts }, (_, part) => {
    const places = inner.slice(Math.floor((part * inner.length) / parts), Math.floor(((part + 1) * inner.length) / parts));
    let [min, greatest] = [0, 0];
    for (const [i, place] of places.entries()) {
      const value = values[place]!;
      if (value < values[places[min]!]! || Number.isNaN(values[places[min]!])) min = i;
      if (value > values[places[greatest]!]! || Number.isNaN(values[places[greatest]!])) greatest = i;
    }
    return [...new Set([Math.min(min, greatest), Math.max(min, greatest)])].map((i) => places[i]!);
  });
  return [order[0]!, ...kept.flat(), order.at(-1)!];
}

function picked(points: PointColumns, places: readonly number[]): PointColumns {
  return {
    steps: BigInt64Array.from(places, (place) => points.steps[place]!),
    wallTimes: Float64Array.from(places, (place) => points.wallTimes[place]!),
    values: Float64Array.from(places, (place) => points.values[place]!),
  };
}

function compare<Value extends bigint | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
