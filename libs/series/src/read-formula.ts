import { lowerBound } from '#chunks';
import type { PointColumns, TagName } from '#model';
import type { ScalarSeries, Snapshot } from '#store';
import { bucketSink, type Buckets } from './bucket-columns.ts';
import type { SharedBuckets } from './bucket-range.ts';
import { walkEffective } from './effective-points.ts';
import { Formula } from './formula.ts';
import { MovingAverage } from './moving-average.ts';
import { clip, copyPoints, joinPoints } from './point-range.ts';
import { PointsOrBuckets } from './points-or-buckets.ts';
import { readMinmax } from './read-minmax.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import type { NotFinite, SeriesResult, Smoothed } from './scalar-result.ts';
import { checkCells, type ScalarRequest, stepRange } from './scalar-request.ts';
import { SharedRanges } from './shared-ranges.ts';
import { minStep, wideSteps } from './steps.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/**
 * Maximum number of points that one request joins exactly, which takes a fraction of a second and
 * 24 MB.
 */
const maxPoints = 1_000_000;
/** Memory per joined point, and per bucket of the response. */
const bytesPerPoint = 48;
const bytesPerBucket = 256;

/**
 * The values of a formula over each run's tags, as a series with the formula as its tag. The series
 * has a point at each step at which the run logged all tags of the formula. Runs with too many
 * points are computed from the last values of buckets, and are not `exact`.
 */
export async function readFormula(
  snapshot: Snapshot,
  request: ScalarRequest & { readonly formula: string },
  { max = maxPoints, reserve }: { readonly max?: number; readonly reserve?: ((bytes: number) => Promise<void>) | undefined } = {},
): Promise<SeriesResult[]> {
  const formula = Formula.parse(request.formula);
  const { list, tails } = await findScalarSeries(snapshot, { ...request, tags: formula.tags, from: null });
  const runs = runsWith(formula.tags, list);
  checkCells(runs.length * formula.tags.length, request.points);
  const buckets = bucketsOf(request, runs.flat(), tails);
  const whole = fitting(runs, tails, max);
  const rest = runs.filter((_, i) => !whole.has(i));
  // In a part of a long run, the points can still fit, but their averages are unknown
  const { list: ranged } =
    request.from === null || rest.length === 0 ? { list: [] } : await findScalarSeries(snapshot, { ...request, tags: formula.tags });
  const parts = runsWith(formula.tags, ranged).filter(([first]) => rest.some(([one]) => one!.seriesId === first!.seriesId));
  const inPart = fitting(parts, tails, max);
  const exact = [
    ...[...whole].map((i) => ({ series: runs[i]!, start: minStep })),
    ...[...inPart].map((i) => ({ series: parts[i]!, start: stepRange(request).from })),
  ];
  const largest = exact.reduce((size, { series }) => Math.max(size, sizeOf(series, tails)), 0); // one run after another
  await reserve?.(largest * bytesPerPoint + runs.length * request.points * bytesPerBucket);
  const responses = new Map<string, SeriesResult>();
  for (const { series, start } of exact)
    responses.set(series[0]!.run, await exactResult(snapshot, request, { formula, series, tails, buckets, start }));
  const rough = (request.from === null ? rest : parts).filter(([first]) => !responses.has(first!.run));
  for (const response of await readRoughly(snapshot, request, { formula, runs: rough, tails })) responses.set(response.run, response);
  return runs.flatMap(([first]) => responses.get(first!.run) ?? []).filter(({ sourcePoints }) => sourcePoints > 0);
}

/** The indices of items, smallest first, that have at most `max` points in total. */
function fitting(runs: readonly (readonly ScalarSeries[])[], tails: ReadonlyMap<string, SeriesTail>, max: number): Set<number> {
  let left = max;
  const sizes = runs.map((series) => sizeOf(series, tails));
  return new Set([...sizes.keys()].toSorted((a, b) => sizes[a]! - sizes[b]!).filter((i) => (left -= sizes[i]!) >= 0));
}

function sizeOf(series: readonly ScalarSeries[], tails: ReadonlyMap<string, SeriesTail>): number {
  return series.reduce((sum, { seriesId, points }) => sum + points + tailOf(tails, seriesId).steps.length, 0);
}

/**
 * For each run that has all tags, its series in tag order; if there are several writers, the first
 * writer's series.
 */
function runsWith(tags: readonly TagName[], list: readonly ScalarSeries[]): ScalarSeries[][] {
  const byRun = [...Map.groupBy(list, ({ run }) => run).values()];
  return byRun.flatMap((own) => {
    const series = tags.map((tag) => own.find((one) => one.tag === tag));
    return series.every((one) => one !== undefined) ? [series] : [];
  });
}

function tailOf(tails: ReadonlyMap<string, SeriesTail>, seriesId: string): PointColumns {
  return (tails.get(seriesId) ?? noTail).effective;
}

/** Buckets that all runs share. */
function bucketsOf(request: ScalarRequest, list: readonly ScalarSeries[], tails: ReadonlyMap<string, SeriesTail>): SharedBuckets {
  const range = stepRange(request);
  const planned = list.map((series) => ({ series, tail: clip(tailOf(tails, series.seriesId), range.from, range.to) }));
  return new SharedRanges({ ...request, align: 'request' }, planned).of('');
}

interface RunFormula {
  readonly formula: Formula;
  readonly series: readonly ScalarSeries[];
  readonly tails: ReadonlyMap<string, SeriesTail>;
  readonly buckets: SharedBuckets;
  /** The first step to read: averages start with the first point of a series. */
  readonly start: bigint;
}

async function exactResult(
  snapshot: Snapshot,
  request: ScalarRequest & { readonly formula: string },
  { formula, series, tails, buckets, start }: RunFormula,
): Promise<SeriesResult> {
  const { from, to } = stepRange(request);
  const parts = series.map((): PointColumns[] => []);
  await walkEffective(snapshot, { from: start, to }, series, tails, (index, { points }) => parts[index]!.push(copyPoints(points)));
  const columns = joinBySteps(parts.map(joinPoints));
  const all = { steps: columns.steps, wallTimes: columns.wallTimes, values: formula.evaluate(columns.values) };
  const points = clip(all, from, to);
  const kept = new PointsOrBuckets(request.points, () => bucketSink(buckets));
  kept.add(points);
  const content: SeriesResult['content'] = kept.points ? { points } : { buckets: kept.buckets.finish() };
  const name = { run: series[0]!.run, tag: request.formula, writer: series[0]!.writer, exact: true, sourcePoints: points.steps.length };
  const notFinite = 'buckets' in content ? countIn(content.buckets, points) : null;
  const smoothed = (request.smoothing ?? 0) > 0 && start === minStep ? smooth(all, content, request.smoothing!) : null;
  return {
    ...name,
    sampling: 'buckets' in content ? 'minmax' : 'raw',
    content,
    ...(notFinite && { notFinite }),
    ...(smoothed && { smoothed }),
  };
}

/**
 * The points of several series at the steps that all of them have; the times are from the first
 * series.
 */
function joinBySteps(list: readonly PointColumns[]): { steps: BigInt64Array; wallTimes: Float64Array; values: Float64Array[] } {
  const [first, ...others] = list;
  const at = others.map(() => 0);
  const kept: number[][] = list.map(() => []);
  first!.steps.forEach((step, i) => {
    const isEverywhere = others.every(({ steps }, n) => {
      while (at[n]! < steps.length && steps[at[n]!]! < step) at[n]!++;
      return steps[at[n]!] === step;
    });
    if (!isEverywhere) return;
    kept[0]!.push(i);
    at.forEach((index, n) => kept[n + 1]!.push(index));
  });
  return {
    steps: BigInt64Array.from(kept[0]!, (i) => first!.steps[i]!),
    wallTimes: Float64Array.from(kept[0]!, (i) => first!.wallTimes[i]!),
    values: list.map(({ values }, n) => Float64Array.from(kept[n]!, (i) => values[i]!)),
  };
}

/** Returns null if all values are finite. */
function countIn({ step, count }: Buckets, { steps, values }: PointColumns): NotFinite | null {
  if (values.every(Number.isFinite)) return null;
  const column = (): Float64Array => new Float64Array(count.length);
  const found = { nan: column(), positive: column(), negative: column() };
  const starts = wideSteps(step);
  for (let b = 0; b < starts.length; b++) {
    const from = lowerBound(steps, starts[b]!);
    for (let i = from; i < from + count[b]!; i++) {
      const value = values[i]!;
      if (Number.isNaN(value)) found.nan[b]!++;
      else if (!Number.isFinite(value)) found[value > 0 ? 'positive' : 'negative'][b]!++;
    }
  }
  return found;
}

/** Averages of all points up to each entry. */
function smooth({ steps, values }: PointColumns, content: SeriesResult['content'], weight: number): Smoothed {
  const average = new MovingAverage(weight);
  const all = values.map((value, i) => {
    average.add(values, i, i + 1);
    return average.at(value);
  });
  const at = (wanted: BigInt64Array): Float64Array => Float64Array.from(wanted, (step) => all[lowerBound(steps, step)]!);
  if (!('buckets' in content)) {
    const last = at(content.points.steps);
    return { first: last, last };
  }
  return { first: at(wideSteps(content.buckets.step)), last: at(wideSteps(content.buckets.lastStep)) };
}

/**
 * Reads runs with very many points: the last value of each bucket of the first tag, with the values
 * of the other tags in the buckets that start at or before its end.
 */
async function readRoughly(
  snapshot: Snapshot,
  request: ScalarRequest & { readonly formula: string },
  { formula, runs, tails }: Pick<RunFormula, 'formula' | 'tails'> & { readonly runs: readonly (readonly ScalarSeries[])[] },
): Promise<SeriesResult[]> {
  if (runs.length === 0) return [];
  const list = runs.flat();
  const { from, to, points, spacing } = request;
  const responses = await readMinmax(snapshot, { from, to, points, spacing, align: 'request' }, list, tails);
  const bySeries = new Map(list.map(({ seriesId }, i) => [seriesId, responses[i]!]));
  return runs.map((series) => {
    const columns = series.map(({ seriesId }) => entriesOf(bySeries.get(seriesId)));
    return roughResult(request.formula, series[0]!, formula, columns);
  });
}

interface Entries {
  readonly step: BigInt64Array;
  readonly lastStep: BigInt64Array;
  readonly last: Float64Array;
  readonly count: Float64Array;
  readonly wallTime: Float64Array;
}

function entriesOf(response: SeriesResult | undefined): Entries {
  if (!response) return { step: new BigInt64Array(), lastStep: new BigInt64Array(), last: none, count: none, wallTime: none };
  const { content } = response;
  if ('points' in content) {
    const { steps, values, wallTimes } = content.points;
    return { step: steps, lastStep: steps, last: values, count: new Float64Array(steps.length).fill(1), wallTime: wallTimes };
  }
  const { step, lastStep, last, count, wallTime } = content.buckets;
  return { step: wideSteps(step), lastStep: wideSteps(lastStep), last, count, wallTime };
}

const none = new Float64Array();

function roughResult(tag: TagName, { run, writer }: ScalarSeries, formula: Formula, columns: readonly Entries[]): SeriesResult {
  const [first, ...others] = columns;
  const places = others.map(({ step }) => Array.from(first!.lastStep, (end) => lowerBound(step, end + 1n) - 1));
  const kept = [...first!.lastStep.keys()].filter((i) => places.every((place) => place[i]! >= 0));
  const pick = (column: Float64Array): Float64Array => Float64Array.from(kept, (i) => column[i]!);
  const values = formula.evaluate([
    pick(first!.last),
    ...others.map(({ last }, n) => Float64Array.from(kept, (i) => last[places[n]![i]!]!)),
  ]);
  const lastStep = BigInt64Array.from(kept, (i) => first!.lastStep[i]!);
  const count = pick(first!.count);
  return {
    run,
    tag,
    writer,
    sampling: 'minmax',
    exact: false,
    sourcePoints: count.reduce((sum, one) => sum + one, 0),
    content: {
      buckets: {
        step: BigInt64Array.from(kept, (i) => first!.step[i]!),
        lastStep,
        count,
        first: values,
        last: values,
        min: values,
        max: values,
        minStep: lastStep,
        maxStep: lastStep,
        wallTime: pick(first!.wallTime),
      },
    },
  };
}
