import type { RunName, RunState, TagName } from '#model';
import { firstNotFinite } from './first-not-finite.ts';
import { goalOf, hasDiverged, rankOf, trendOf } from './metrics.ts';
import { byName, floatOf, sumOf } from './numbers.ts';
import { jsonBytes, shortened } from './safe-json.ts';
import { joined, type ExactPoint, type ScalarSeries, bucketsOf } from './scalar-summary.ts';
import { floatTime, hasMore, type Json, pageLink, quoted, type RunRow, rowsOf, type SeriesRow, type Source } from './source.ts';

/** Maximum bytes of a description as JSON. */
export const maxDescriptionBytes = 2_048;
/**
 * Maximum number of series to read. If an experiment has more, its description covers the first
 * series and mentions this.
 */
const maxSeries = 10_000;
const maxMetrics = 12;
/** Maximum number of runs whose metrics are read, starting with the run that logged last. */
const maxRuns = 100;
/** Maximum number of anomalies of one kind that are named. */
const maxNamed = 3;
/** Runs per page. If there is only one page, run states are counted from it. */
const runsPerPage = 1_000;
const maxNameCharacters = 80;
/** In the order in which counts are listed. */
const states: readonly RunState[] = ['running', 'stalled', 'crashed', 'failed', 'finished', 'unknown'];

/**
 * Describes an experiment in at most 2 KB of JSON, which depends only on the data. The description
 * contains counts, anomalies and, for the main metrics, the best and the last value with run and
 * step, and the trend. All numbers are exact. With `run`, describes only this run.
 */
export async function describeExperiment(source: Source, experimentId: string, { run }: { readonly run?: RunName } = {}): Promise<Json> {
  const about = await source.experiment(experimentId);
  const runs = await countRuns(source, experimentId, run);
  const page = await source.series(experimentId, { ...(run !== undefined && { run: [run] }), page_size: String(maxSeries) });
  const series = rowsOf<SeriesRow>(page, 'series');
  const scalars = series.filter(({ data_class }) => data_class === 'scalar');
  const tags = mainTags(scalars).slice(0, maxMetrics);
  const recent = recentRuns(scalars, tags).slice(0, maxRuns);
  const { metrics, diverged } = await readMetrics(source, experimentId, about, tags, recent);
  const head = {
    experiment: { id: about['id'], name: shortened(String(about['name']), maxNameCharacters), link: about['url'] },
    ...(run !== undefined && { run: shortened(run, maxNameCharacters) }),
    runs: { total: runs.total, ...runs.states },
    series: countBy(series, ({ data_class }) => data_class),
    ...(hasMore(page) && { series_looked_at: series.length }),
    points: sumOf(scalars.map(({ points }) => points)),
    ...notEffective(series),
    received: about['received'],
  };
  const anomalies = [...(await nonFinite(source, experimentId, about, scalars)), ...diverged, ...runs.anomalies];
  return fitted(head, anomalies, metrics);
}

/** Adds the entries that fit, anomalies first, and reports how many do not. */
function fitted(head: Json, anomalies: readonly Json[], metrics: readonly Json[]): Json {
  const kept = { anomalies: [] as Json[], metrics: [] as Json[] };
  const result = (): Json => ({
    ...head,
    anomalies: kept.anomalies,
    ...(kept.anomalies.length < anomalies.length && { anomalies_omitted: anomalies.length - kept.anomalies.length }),
    metrics: kept.metrics,
    ...(kept.metrics.length < metrics.length && { metrics_omitted: metrics.length - kept.metrics.length }),
  });
  const add = (list: Json[], item: Json, max: number): void => {
    list.push(item);
    if (jsonBytes(result()) > max) list.pop();
  };
  // At most half of the bytes, so that many anomalies leave room for metrics.
  for (const item of anomalies) add(kept.anomalies, item, maxDescriptionBytes / 2 + jsonBytes(head) / 2);
  for (const item of metrics) add(kept.metrics, item, maxDescriptionBytes);
  return result();
}

/** Counts runs by state, and lists runs that stopped without logging an end. */
async function countRuns(source: Source, experimentId: string, run: RunName | undefined) {
  const only = run === undefined ? '' : `run = ${quoted(run)}`;
  const list = (filter: string, size: number) =>
    source.runs(experimentId, { ...(filter !== '' && { filter }), page_size: String(size), total: 'true' });
  const first = await list(only, runsPerPage);
  const rows = rowsOf<RunRow>(first, 'runs');
  const counts = new Map<RunState, { count: number; some: readonly RunRow[] }>();
  for (const state of states) {
    if (!hasMore(first)) {
      const some = rows.filter((one) => one.state === state);
      counts.set(state, { count: some.length, some });
    } else {
      const page = await list(`state = ${state}`, maxNamed);
      counts.set(state, { count: Number(page['total']), some: rowsOf<RunRow>(page, 'runs') });
    }
  }
  const anomalies = (['crashed', 'failed', 'stalled'] as const).flatMap((state): Json[] => {
    const { count, some } = counts.get(state)!;
    if (count === 0) return [];
    const named = some.slice(0, maxNamed).map((one) => ({ run: shortened(one.run, maxNameCharacters), last_time: one.last_time }));
    return [{ kind: state, count, runs: named }];
  });
  return {
    total: first['total'] ?? rows.length,
    states: Object.fromEntries([...counts].flatMap(([state, { count }]) => (count > 0 ? [[state, count]] : []))),
    anomalies,
  };
}

/** Scalar tags, most informative first. */
export function mainTags(scalars: readonly SeriesRow[]): string[] {
  const runsOf = new Map<string, Set<string>>();
  for (const { tag, run } of scalars) runsOf.set(tag, (runsOf.get(tag) ?? new Set()).add(run));
  return [...runsOf.keys()].sort((a, b) => rankOf(a) - rankOf(b) || runsOf.get(b)!.size - runsOf.get(a)!.size || byName(a, b));
}

/** The runs with these tags, starting with the one that logged last. */
function recentRuns(scalars: readonly SeriesRow[], tags: readonly TagName[]): string[] {
  const wanted = new Set(tags);
  const last = new Map<string, number>();
  for (const { run, tag, last_wall_time } of scalars) {
    const at = floatTime(last_wall_time);
    if (wanted.has(tag)) last.set(run, Math.max(at, last.get(run) ?? -Infinity));
  }
  return [...last].sort(([a, x], [b, y]) => (x === y ? byName(a, b) : y > x ? 1 : -1)).map(([run]) => run);
}

interface Metrics {
  readonly metrics: Json[];
  readonly diverged: Json[];
}

/** Reads each tag's best and last values and trend, and the runs whose loss diverged. */
async function readMetrics(
  source: Source,
  experimentId: string,
  about: Json,
  tags: readonly TagName[],
  recent: readonly string[],
): Promise<Metrics> {
  if (tags.length === 0) return { metrics: [], diverged: [] };
  const whole = await query(source, experimentId, tags, recent, 1);
  const latest = new Map(tags.map((tag) => [tag, recent.find((run) => whole.some((one) => one.tag === tag && one.run === run))]));
  const trendRuns = [...new Set([...latest.values()].filter((run) => run !== undefined))];
  const curves = await query(source, experimentId, tags, trendRuns, 40);
  const metrics: Json[] = [];
  const diverged: Json[] = [];
  for (const tag of tags) {
    const goal = goalOf(tag);
    const runs = whole.flatMap((one) => {
      const all = one.tag === tag ? joined(bucketsOf(one)) : null;
      return all ? [{ ...one, all }] : [];
    });
    const newest = runs.find(({ run }) => run === latest.get(tag));
    if (!newest) continue;
    const at = (one: { run: RunName; point: ExactPoint } | null): Json | null =>
      one && { value: one.point.value, step: one.point.step, run: shortened(one.run, maxNameCharacters) };
    const ends = {
      min: extreme(
        runs.map(({ run, all }) => ({ run, point: all.min })),
        (a, b) => a < b,
      ),
      max: extreme(
        runs.map(({ run, all }) => ({ run, point: all.max })),
        (a, b) => a > b,
      ),
    };
    const newestCurve = curves.find((one) => one.tag === tag && one.run === newest.run && (one.writer ?? 0) === (newest.writer ?? 0));
    metrics.push({
      tag: shortened(tag, maxNameCharacters),
      runs: new Set(runs.map(({ run }) => run)).size,
      ...(goal ? { best: at(ends[goal]), goal } : { min: at(ends.min), max: at(ends.max) }),
      last: at({ run: newest.run, point: newest.all.last }),
      trend: newestCurve ? trendOf(newestCurve) : null,
      link: pageLink(about['url'], [], tag),
    });
    if (goal !== 'min') continue;
    for (const { run, all } of runs) {
      const [first, smallest, last] = [all.first, all.min ?? all.first, all.last].map(({ value }) => floatOf(value));
      if (hasDiverged(first!, smallest!, last!))
        diverged.push({
          kind: 'diverged',
          run: shortened(run, maxNameCharacters),
          tag: shortened(tag, maxNameCharacters),
          first: all.first.value,
          min: all.min,
          last: all.last,
          link: pageLink(about['url'], [run], tag),
        });
    }
  }
  return { metrics, diverged };
}

async function query(source: Source, experimentId: string, tags: readonly TagName[], runs: readonly RunName[], points: number) {
  return rowsOf<ScalarSeries>(await source.scalars(experimentId, { runs, tags, points }), 'series');
}

function extreme(candidates: readonly { run: RunName; point: ExactPoint | null }[], isBetter: (a: number, b: number) => boolean) {
  let best: { run: RunName; point: ExactPoint } | null = null;
  for (const { run, point } of candidates)
    if (point && (!best || isBetter(floatOf(point.value), floatOf(best.point.value)))) best = { run, point };
  return best;
}

/** Series with NaN or infinities, most affected first. */
async function nonFinite(source: Source, experimentId: string, about: Json, scalars: readonly SeriesRow[]): Promise<Json[]> {
  const isInfinite = (one: SeriesRow): boolean => [one.min, one.max].some((end) => end === 'Infinity' || end === '-Infinity');
  const found = scalars
    .filter((one) => Number(one.nan_count ?? 0) > 0 || isInfinite(one))
    .sort(
      (a, b) => Number(b.nan_count) - Number(a.nan_count) || rankOf(a.tag) - rankOf(b.tag) || byName(a.run, b.run) || byName(a.tag, b.tag),
    );
  const named: Json[] = [];
  for (const one of found.slice(0, maxNamed)) {
    named.push({
      kind: Number(one.nan_count ?? 0) > 0 ? 'nan' : 'infinity',
      run: shortened(one.run, maxNameCharacters),
      tag: shortened(one.tag, maxNameCharacters),
      nan_points: one.nan_count ?? 0,
      first_step: await firstNotFinite(source, experimentId, one),
      last: one.last,
      link: pageLink(about['url'], [one.run], one.tag),
    });
  }
  return found.length > maxNamed ? [...named, { kind: 'nan_or_infinity', more_series: found.length - maxNamed }] : named;
}

/**
 * Counts points that are stored but do not count, and values that could not be stored as scalars.
 */
function notEffective(series: readonly SeriesRow[]): Json {
  const counts = {
    superseded_points: sumOf(series.map((one) => one.superseded_points)),
    invalid_points: sumOf(series.map((one) => one.invalid_points)),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Json {
  const groups = Map.groupBy(items, key);
  return Object.fromEntries([...groups].sort(([a], [b]) => byName(a, b)).map(([name, list]) => [name, list.length]));
}
