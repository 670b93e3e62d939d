import { type SeriesJson, stepJson } from '#charts';
import type { Api } from '../api/api.ts';

/** Selects superseded points. */
interface SupersededRequest {
  readonly experimentId: string;
  readonly tag: string;
  /** Null means all runs. */
  readonly runs: readonly string[] | null;
  /** Null means all steps. */
  readonly steps: { readonly from: number; readonly to: number } | null;
}

/** Points of restarted runs, in log order, including effective ones. */
export interface SupersededPoints {
  readonly series: readonly SeriesJson[];
  /** The number of superseded points in `series`. */
  readonly found: number;
  /** The number of superseded points of these runs, over all steps. */
  readonly all: number;
  /** Whether all superseded points were found. */
  readonly complete: boolean;
}

interface Page {
  readonly series: readonly SeriesJson[];
  readonly next_page_token?: string;
}

interface Stats {
  readonly run: string;
  readonly data_class: string;
  readonly superseded_points: number | string;
}

const pageSize = 20_000;
/**
 * Maximum pages to read per experiment. Pages are in log order and include effective points, so any
 * number of pages may precede the superseded points.
 */
const maxPages = 10;

/**
 * Reads superseded points until all are found or enough points were read. Requests only runs that
 * have superseded points.
 */
export async function readSuperseded(
  api: Api,
  { experimentId, tag, runs, steps }: SupersededRequest,
  signal: AbortSignal,
): Promise<SupersededPoints> {
  const stats = await api.list<Stats>(`/experiments/${experimentId}/series?tag=${encodeURIComponent(tag)}`, 'series', signal);
  const wanted = runs && new Set(runs);
  const having = stats.filter(
    (one) => one.data_class === 'scalar' && Number(one.superseded_points) > 0 && (wanted === null || wanted.has(one.run)),
  );
  const all = having.reduce((sum, one) => sum + Number(one.superseded_points), 0);
  const body = {
    tags: [tag],
    runs: having.map(({ run }) => run),
    ...(steps && { steps: { from: stepJson(steps.from), to: stepJson(steps.to) } }),
    sampling: 'raw',
    superseded: true,
    page_size: pageSize,
  };
  const series = new Map<string, SeriesJson>();
  let found = 0;
  let token: string | null = all === 0 ? null : '';
  for (let pages = 0; pages < maxPages && token !== null && found < all; pages++) {
    const page: Page = await api.query<Page>(
      `/experiments/${experimentId}/scalars/query`,
      { ...body, ...(token !== '' && { page_token: token }) },
      signal,
    );
    for (const one of page.series) {
      found += (one.columns.superseded ?? []).filter(Boolean).length;
      const key = JSON.stringify([one.run, one.writer ?? 0]);
      const before = series.get(key);
      series.set(key, before ? joined(before, one) : one);
    }
    token = page.next_page_token ?? null;
  }
  return { series: [...series.values()], found, all, complete: token === null || found === all };
}

/** A series that is continued on the next page. */
function joined(before: SeriesJson, after: SeriesJson): SeriesJson {
  const columns = Object.entries(before.columns).map(([name, values]) => [name, [...values, ...(after.columns[name] ?? [])]]);
  return { ...before, columns: Object.fromEntries(columns) as SeriesJson['columns'] };
}
