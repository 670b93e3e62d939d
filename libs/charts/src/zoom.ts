import { type ChartLine, chartLine, entriesIn, type LineOptions } from './chart-lines.ts';
import { joinNotFinite, type ScalarSeries } from './scalar-series.ts';
import type { View } from './view.ts';
import { isTimeAxis, placesOf, type XAxis } from './x-axis.ts';

/** Steps, both inclusive. If `to` is null, the range extends to the end. */
export interface StepRange {
  readonly from: number;
  readonly to: number | null;
}

/**
 * How much beyond the visible part to request on each side, so that lines reach the edges and their
 * smoothing has settled there.
 */
const margin = 0.25;
/**
 * Steps that depend on the data are rounded outward to a grid of this fraction, so that requests
 * repeat while a run grows.
 */
const grid = 1 / 16;

/** The steps to request if a range of steps is visible. */
export function stepsAround(range: NonNullable<View['range']>): { readonly from: number; readonly to: number } {
  const { from, to } = widened(range);
  return { from: exactly(Math.floor(from)), to: exactly(Math.ceil(to)) };
}

function widened({ from, to }: NonNullable<View['range']>): NonNullable<View['range']> {
  const air = (to - from) * margin;
  return { from: from - air, to: to + air };
}

/**
 * The steps for which finer data is needed: the steps in the zoomed part of the axis; null if there
 * are none. `whole`: the full series, in coarse form.
 */
export function stepsWanted(range: View['range'], axis: XAxis, whole: readonly ScalarSeries[]): StepRange | null {
  if (!range || whole.every(({ raw }) => raw)) return null;
  if (axis === 'step') return stepsAround(range);
  let from = Infinity;
  let to = -Infinity;
  let reachesEnd = false;
  const wide = widened(range);
  for (const series of whole) {
    if (series.step.length === 0) continue;
    const end = series.step.length - 1;
    const entries = entriesIn(placesOf(series, axis, series.wallTime[0]!), wide.from, wide.to);
    const first = Math.max(0, entries.from - 2);
    const last = Math.min(end, entries.to + 1);
    if (last < first) continue;
    from = Math.min(from, series.firstStep[first]!);
    to = Math.max(to, series.step[last]!);
    reachesEnd ||= last === end;
  }
  if (!(from < to)) return null;
  const unit = Math.max(1, 2 ** Math.floor(Math.log2((to - from) * grid)));
  return { from: exactly(Math.floor(from / unit) * unit), to: reachesEnd ? null : exactly(Math.ceil(to / unit) * unit) };
}

/** Whether `inner` is completely inside `outer`. */
export function holdsSteps(outer: StepRange, inner: StepRange): boolean {
  return outer.from <= inner.from && (outer.to === null || (inner.to !== null && outer.to >= inner.to));
}

/**
 * A series as a line, using the finer data of a `part` if available. A raw series needs no part.
 * `range`: the visible part. The line continues from its edges to points outside it.
 */
export function zoomedLine(
  whole: ScalarSeries,
  part: ScalarSeries | undefined,
  { range = null, ...options }: LineOptions & Partial<Pick<View, 'range'>>,
): ChartLine {
  if (!part || whole.raw) return chartLine(whole, options);
  if (part.step.length === 0) return chartLine(points(whole, options.xAxis), options, whole);
  return chartLine(range ? withNeighbors(part, whole, range, options.xAxis) : part, options, whole);
}

/**
 * A part that ends inside the visible range, plus the next point of the whole series: the line
 * continues to it, however far away it is.
 */
function withNeighbors(part: ScalarSeries, whole: ScalarSeries, { from, to }: NonNullable<View['range']>, axis: XAxis): ScalarSeries {
  const places = placesOf(part, axis, whole.wallTime[0] ?? 0);
  const before = places[0]! > from ? whole.step.findLastIndex((step) => step < part.firstStep[0]!) : -1;
  const after = places.at(-1)! < to ? whole.firstStep.findIndex((step) => step > part.step.at(-1)!) : -1;
  if (before < 0 && after < 0) return part;
  const list = [
    before < 0 ? null : endOf(whole, before, axis),
    part,
    after < 0 ? null : isTimeAxis(axis) || axis === 'step' ? startOf(whole, after) : endOf(whole, after, axis),
  ];
  return joined(
    part,
    list.filter((one) => one !== null),
  );
}

/**
 * Buckets reduced to their first and last points, because no other points are known: nothing is
 * drawn inside a bucket that is empty here.
 */
function points(whole: ScalarSeries, axis: XAxis): ScalarSeries {
  if (axis !== 'step') return whole;
  const list = Array.from(whole.step, (_, i) =>
    whole.count[i]! > 1 ? [startOf(whole, i), endOf(whole, i, axis)] : [endOf(whole, i, axis)],
  );
  return joined(whole, list.flat());
}

type ColumnName = 'firstStep' | 'step' | 'value' | 'first' | 'low' | 'high' | 'count' | 'wallTime';
type Columns = Pick<ScalarSeries, ColumnName | 'smoothed' | 'notFinite' | 'x'>;

/** The first point of a bucket. */
function startOf({ firstStep, first, wallTime, smoothed }: ScalarSeries, i: number): Columns {
  return point(firstStep[i]!, first[i]!, wallTime[i]!, smoothed && { weight: smoothed.weight, average: smoothed.first[i] });
}

/**
 * The last point of a bucket; on a time axis, the first point, because the last point's time is
 * unknown.
 */
function endOf(series: ScalarSeries, i: number, axis: XAxis): Columns {
  if (isTimeAxis(axis)) return startOf(series, i);
  const { step, value, wallTime, smoothed, x } = series;
  const last = point(step[i]!, value[i]!, wallTime[i]!, smoothed && { weight: smoothed.weight, average: smoothed.last[i] });
  return x ? { ...last, x: x.subarray(i, i + 1) } : last;
}

interface Average {
  readonly weight: number;
  /** Undefined if it was not computed. */
  readonly average: number | undefined;
}

function point(atStep: number, logged: number, time: number, smooth: Average | null): Columns {
  const [step, value] = [Float64Array.of(atStep), Float64Array.of(logged)];
  const average = Float64Array.of(smooth?.average ?? Number.NaN);
  return {
    firstStep: step,
    step,
    value,
    first: value,
    low: value,
    high: value,
    count: Float64Array.of(1),
    wallTime: Float64Array.of(time),
    notFinite: null,
    x: null,
    smoothed: smooth?.average === undefined ? null : { weight: smooth.weight, last: average, first: average },
  };
}

function joined(series: ScalarSeries, list: readonly Columns[]): ScalarSeries {
  const column = (name: ColumnName): Float64Array => concatenated(list.map((one) => one[name]));
  const step = column('step');
  const exact = (one: Columns): readonly (number | string)[] =>
    one === series ? series.exactStep! : [...one.step].map((at) => BigInt(at).toString());
  return {
    ...series,
    firstStep: column('firstStep'),
    step,
    value: column('value'),
    first: column('first'),
    low: column('low'),
    high: column('high'),
    count: column('count'),
    wallTime: column('wallTime'),
    smoothed: averagesOf(list),
    x: list.every(({ x }) => x !== null) ? concatenated(list.map(({ x }) => x!)) : null,
    notFinite: joinNotFinite(
      list.map(({ notFinite }) => notFinite),
      list.map(({ step: { length } }) => length),
    ),
    exactStep: series.exactStep && list.flatMap(exact),
  };
}

/** Returns null unless all series have averages with the same weight. */
function averagesOf(list: readonly Columns[]): ScalarSeries['smoothed'] {
  const weight = list[0]?.smoothed?.weight;
  const known = list.flatMap(({ smoothed, step }) =>
    smoothed?.weight === weight && smoothed?.last.length === step.length ? [smoothed] : [],
  );
  if (weight === undefined || known.length < list.length) return null;
  return { weight, last: concatenated(known.map(({ last }) => last)), first: concatenated(known.map(({ first }) => first)) };
}

function concatenated(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** Steps are int64; a URL can contain other numbers. */
function exactly(step: number): number {
  return Math.min(2 ** 63, Math.max(-(2 ** 63), step));
}

/** A step in the form that requests use: beyond 2^53, the service expects digits. */
export function stepJson(step: number): number | string {
  return Number.isSafeInteger(step) ? step : String(wholeStep(step));
}

/** The int64 nearest to a whole number. */
export function wholeStep(step: number): bigint {
  const whole = BigInt(exactly(step));
  return whole < 2n ** 63n ? whole : 2n ** 63n - 1n;
}
