import { Problem, type RunName, type TagName } from '#model';
import { mainTags } from './describe.ts';
import { goalOf } from './metrics.ts';
import { floatOf } from './numbers.ts';
import { joined, type ScalarSeries, bucketsOf } from './scalar-summary.ts';
import { jsonBytes } from './safe-json.ts';
import { maxResultBytes } from './find.ts';
import { type Json, pageLink, rowsOf, type SeriesRow, type Source } from './source.ts';

/** Maximum number of runs and tags in a comparison. */
export const maxComparedRuns = 10;
export const maxComparedTags = 20;

/**
 * Compares the same tags of several runs: number of points, first, last, smallest and largest value
 * with their steps, and the best run. Without `tags`, compares the main tags.
 */
export async function compareRuns(
  source: Source,
  experimentId: string,
  { runs, tags }: { readonly runs: readonly RunName[]; readonly tags?: readonly TagName[] },
): Promise<Json> {
  const names = distinct(runs);
  const { url } = await source.experiment(experimentId);
  const page = await source.series(experimentId, { run: names, ...(tags && { tag: tags }), page_size: '10000' });
  const scalars = rowsOf<SeriesRow>(page, 'series').filter(({ data_class }) => data_class === 'scalar');
  const shown = mainTags(scalars);
  const known = new Set(scalars.map(({ run }) => run));
  const chosen = shown.slice(0, maxComparedTags);
  const response = chosen.length === 0 ? { series: [] } : await source.scalars(experimentId, { runs: names, tags: chosen, points: 1 });
  const series = rowsOf<ScalarSeries>(response, 'series');
  const rows = chosen.map((tag) => tagRow(tag, names, series, url));
  const kept = rows.slice();
  const result = (): Json => ({
    runs: names,
    ...(names.some((name) => !known.has(name)) && { runs_without_these_scalars: names.filter((name) => !known.has(name)) }),
    tags: kept,
    ...(kept.length < shown.length && { tags_omitted: shown.length - kept.length }),
    link: pageLink(url, names),
  });
  while (kept.length > 1 && jsonBytes(result()) > maxResultBytes) kept.pop();
  return result();
}

function tagRow(tag: TagName, names: readonly string[], series: readonly ScalarSeries[], url: unknown): Json {
  const goal = goalOf(tag);
  const own = names.flatMap((run) =>
    series.flatMap((one) => {
      const all = one.run === run && one.tag === tag ? joined(bucketsOf(one)) : null;
      return all ? [{ run, writer: one.writer, points: one.source_points, all }] : [];
    }),
  );
  const best =
    goal &&
    own
      .map(({ run, all }) => ({ run, end: all[goal] }))
      .reduce<{ run: RunName; value: number } | null>((before, { run, end }) => {
        if (!end) return before;
        const value = floatOf(end.value);
        return before && (goal === 'min' ? before.value <= value : before.value >= value) ? before : { run, value };
      }, null);
  return {
    tag,
    ...(goal && { goal, best_run: best?.run ?? null }),
    runs: own.map(({ run, writer, points, all }) => ({
      run,
      ...(writer !== undefined && { writer }),
      points,
      first: all.first,
      last: all.last,
      min: all.min,
      max: all.max,
      ...(all.nan > 0 && { nan_points: all.nan }),
    })),
    link: pageLink(url, names, tag),
  };
}

/** Returns at least two runs, in the order of the request. Throws `bad-request`. */
export function distinct(runs: readonly RunName[]): string[] {
  const names = [...new Set(runs)];
  if (names.length < 2 || names.length > maxComparedRuns)
    throw new Problem('bad-request', `Name 2 to ${maxComparedRuns} different runs; these are ${names.length}.`);
  return names;
}
