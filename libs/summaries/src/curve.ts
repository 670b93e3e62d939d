import { limits, Problem, type SeriesName } from '#model';
import { joined, type ExactPoint, type ScalarSeries, type Bucket, bucketsOf } from './scalar-summary.ts';
import { byName } from './numbers.ts';
import { type Json, pageLink, rowsOf, type SeriesRow, type Source, type Whole } from './source.ts';

/** Maximum number of points in one curve: more would be too much for a reader. */
export const maxCurvePoints = 50;
/** Maximum number of listed ranges of NaN and infinities. */
const maxRanges = 10;

/** Selects a part of a series. `points` is at most {@link maxCurvePoints}. */
export interface CurveRequest extends SeriesName {
  readonly writer?: number;
  readonly from?: Whole;
  readonly to?: Whole;
  readonly points?: number;
}

/**
 * Returns a curve of exact points: all points if they fit, otherwise the first and the last point,
 * and each interval's smallest and largest points, so that no spike is hidden.
 */
export async function curve(source: Source, experimentId: string, request: CurveRequest): Promise<Json> {
  const { run, tag, from, to } = request;
  const max = Math.max(4, Math.min(request.points ?? maxCurvePoints, maxCurvePoints));
  const steps = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const response = await source.scalars(experimentId, { runs: [run], tags: [tag], points: max, steps });
  const writers = rowsOf<ScalarSeries>(response, 'series');
  const series = writers.find((one) => (one.writer ?? 0) === (request.writer ?? one.writer ?? 0));
  if (!series) throw await noSuchSeries(source, experimentId, request);
  const { url } = await source.experiment(experimentId);
  const buckets = bucketsOf(series);
  const points = pointsOf(buckets, max);
  const total = joined(buckets);
  return {
    run,
    tag,
    ...(writers.length > 1 && { writer: series.writer ?? 0, writers: writers.map((one) => one.writer ?? 0) }),
    source_points: series.source_points,
    shown_points: points.length,
    complete: points.length === Number(series.source_points),
    ...(total && { first: total.first, last: total.last, min: total.min, max: total.max }),
    ...notFinite(buckets),
    columns: ['step', 'value'],
    points: points.map(({ step, value }) => [step, value]),
    link: pageLink(url, [run], tag),
  };
}

/** The exact points that represent these buckets, at most `max`, in order. */
export function pointsOf(buckets: readonly Bucket[], max: number): ExactPoint[] {
  if (buckets.length === 0) return [];
  const all = buckets.every(({ count }) => count === 1);
  if (all && buckets.length <= max) return buckets.map(({ first }) => first);
  const intervals = Math.floor((max - 2) / 2);
  const width = Math.ceil(buckets.length / intervals);
  const points = new Map<string, ExactPoint>();
  const add = (point: ExactPoint | null): void => void (point && points.set(String(point.step), point));
  add(buckets[0]!.first);
  for (let at = 0; at < buckets.length; at += width) {
    const interval = joined(buckets.slice(at, at + width))!;
    add(interval.min);
    add(interval.max);
  }
  add(buckets.at(-1)!.last);
  return [...points.values()].sort((a, b) => (BigInt(a.step) < BigInt(b.step) ? -1 : 1));
}

/** How many points are NaN or infinite, and between which steps. */
function notFinite(buckets: readonly Bucket[]): Json {
  const counts = (one: Bucket): Json => ({
    ...(one.nan > 0 && { nan: one.nan }),
    ...(one.inf > 0 && { inf: one.inf }),
    ...(one.negInf > 0 && { neg_inf: one.negInf }),
  });
  const found = buckets.filter((one) => one.nan + one.inf + one.negInf > 0);
  if (found.length === 0) return {};
  const ranges = found.slice(0, maxRanges).map((one) => ({ from: one.from, to: one.to, ...counts(one) }));
  return {
    not_finite: { ...counts(joined(found)!), ranges, ...(found.length > maxRanges && { ranges_omitted: found.length - maxRanges }) },
  };
}

/** Lists the existing scalar tags of the run, so that a second attempt succeeds. */
async function noSuchSeries(source: Source, experimentId: string, { run, tag }: SeriesName): Promise<Problem> {
  const page = await source.series(experimentId, { run: [run], page_size: '200' });
  const tags = [...new Set(rowsOf<SeriesRow>(page, 'series').flatMap((one) => (one.data_class === 'scalar' ? [one.tag] : [])))];
  if (tags.includes(tag)) return new Problem('not-found', 'The series has no points in this range, or it does not have this writer.');
  if (tags.length === 0) return new Problem('not-found', 'No run with this name has scalars. See the run list for the names.');
  const names = tags
    .sort(byName)
    .slice(0, 20)
    .map((name) => JSON.stringify(name.slice(0, limits.maxExperimentNameCharacters)));
  return new Problem('not-found', `The run has no scalars with this tag. It has ${names.join(', ')}${tags.length > 20 ? ' …' : ''}.`);
}
