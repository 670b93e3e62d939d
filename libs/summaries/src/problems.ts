import type { RunName } from '#model';
import { maxResultBytes } from './find.ts';
import { byName, sumOf } from './numbers.ts';
import { jsonBytes, shortened } from './safe-json.ts';
import { hasMore, type Json, pageLink, rowsOf, type SeriesRow, type Source } from './source.ts';

/** Maximum number of listed problems, and of pages of 1,000 that are read to count them. */
const maxListed = 20;
const maxPages = 10;
const maxSeries = 20;

/**
 * Data of an experiment, or of one run, that could not be read or does not count: damaged records
 * with file and offset, and series with superseded, invalid, mismatched or rounded points. A caller
 * who may not see files gets `damaged: null`.
 */
export async function listRunProblems(source: Source, experimentId: string, { run }: { readonly run?: RunName } = {}): Promise<Json> {
  const { url } = await source.experiment(experimentId);
  const damaged = await readDamaged(source, experimentId, run);
  const page = await source.series(experimentId, { ...(run !== undefined && { run: [run] }), unlisted: 'true', page_size: '10000' });
  const fields = ['superseded_points', 'invalid_points', 'mismatched_points', 'rounded_points'] as const;
  const series = rowsOf<SeriesRow>(page, 'series');
  const totals = Object.fromEntries(fields.map((field) => [field, sumOf(series.map((one) => one[field]))]));
  const affected = series
    .filter((one) => fields.some((field) => Number(one[field]) > 0))
    .sort((a, b) => Number(b.superseded_points) - Number(a.superseded_points) || byName(a.run, b.run) || byName(a.tag, b.tag));
  const listed = affected.slice(0, maxSeries).map((one) => ({
    run: one.run,
    tag: one.tag,
    ...(one.writer !== undefined && { writer: one.writer }),
    points: one.points,
    ...Object.fromEntries(fields.flatMap((field) => (Number(one[field]) > 0 ? [[field, one[field]]] : []))),
  }));
  const result = (): Json => ({
    ...(run !== undefined && { run }),
    damaged,
    ...totals,
    ...(hasMore(page) && { series_looked_at: series.length }),
    series: listed,
    ...(listed.length < affected.length && { series_omitted: affected.length - listed.length }),
    link: `${String(url)}?plain`,
    ...(run !== undefined && { run_link: pageLink(url, [run]) }),
  });
  while (listed.length > 1 && jsonBytes(result()) > maxResultBytes) listed.pop();
  return result();
}

async function readDamaged(source: Source, experimentId: string, run: RunName | undefined): Promise<Json | null> {
  const found: Json[] = [];
  let count = 0;
  const reasons = new Map<string, number>();
  let token = '';
  for (let pages = 0; pages < maxPages; pages++) {
    let page: Json;
    try {
      page = await source.problems(experimentId, { page_size: '1000', ...(token !== '' && { page_token: token }) });
    } catch (error) {
      if (pages === 0 && (error as { code?: unknown }).code === 'forbidden') return null;
      throw error;
    }
    for (const problem of rowsOf<Json>(page, 'problems')) {
      if (run !== undefined && problem['run'] !== run) continue;
      count++;
      const reason = String(problem['reason']);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      if (found.length < maxListed) found.push(placeOf(problem));
    }
    token = hasMore(page) ? String(page['next_page_token']) : '';
    if (token === '') break;
  }
  const by = Object.fromEntries([...reasons].sort(([a], [b]) => byName(a, b)));
  const result = (): Json => ({
    count,
    ...(token !== '' && { at_least: true }),
    by_reason: by,
    places: found,
    ...(found.length < count && { places_omitted: count - found.length }),
  });
  while (found.length > 1 && jsonBytes(result()) > maxResultBytes / 2) found.pop();
  return result();
}

function placeOf(problem: Json): Json {
  const { run, file, version, offset, bytes, reason, detail, ends_file } = problem;
  return { run, file, version, offset, bytes, reason, detail: shortened(String(detail), 300), ...(ends_file === true && { ends_file }) };
}
