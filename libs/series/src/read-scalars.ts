import type { RunId, SeriesId, TenantId } from '#model';
import { listScalarSeries, readTailsOfSeries, type ScalarSeries, type SeriesRange, type Snapshot, type Store } from '#store';
import { type Admit, readAdmitted } from './admit.ts';
import { countNotFinite } from './count-not-finite.ts';
import { readLast } from './read-last.ts';
import { readLogOrder } from './read-log-order.ts';
import { readMinmax } from './read-minmax.ts';
import { readMostRecent } from './read-most-recent.ts';
import { readRandom } from './read-random.ts';
import { readRaw } from './read-raw.ts';
import { readSmoothed } from './read-smoothed.ts';
import { haveSeveralWriters, type ScalarAnswer } from './scalar-answer.ts';
import { checkCells, type ScalarRequest, type SeriesSelection, stepRange } from './scalar-request.ts';
import { type SeriesTail, tailsBySeries } from './tail-points.ts';

const readers = { minmax: readMinmax, last: readLast, random: readRandom, tail: readMostRecent } as const;

/**
 * Runs a scalars query on a tenant's experiment; permission, frontier and data come from one
 * snapshot. `admit` throws if the caller may not see the experiment. `reserve` is called with the
 * maximum bytes of the response before a point is read, and may throw.
 */
export async function readScalars(
  store: Store,
  tenantId: TenantId,
  request: ScalarRequest,
  admit: Admit,
  reserve?: (bytes: number) => Promise<void>,
): Promise<ScalarAnswer> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    // Requested concurrently, in one snapshot: a caller who is not admitted learns nothing from the
    // other results.
    const [frontier, { list, tails }] = await Promise.all([readAdmitted(snapshot, request, admit), readSeries(snapshot, request, reserve)]);
    const severalWriters = haveSeveralWriters(list);
    if (request.sampling === 'raw') {
      const page = await (request.superseded ? readLogOrder : readRaw)(snapshot, request, list, tails);
      return { frontier, severalWriters, ...page };
    }
    const sampled = await readers[request.sampling](snapshot, request, list, tails);
    const series = request.sampling === 'minmax' ? await countNotFinite(snapshot, list, tails, sampled) : sampled;
    const { from, smoothing = 0 } = request;
    if (smoothing <= 0 || request.sampling !== 'minmax') return { frontier, series, severalWriters, nextPageToken: null };
    const smoothed = await readSmoothed(snapshot, { from, smoothing }, list, tails, series);
    return { frontier, series: smoothed, severalWriters, nextPageToken: null };
  });
}

/** Throws `answer-too-large` if there are too many series for the requested points. */
async function readSeries(
  snapshot: Snapshot,
  request: ScalarRequest,
  reserve: ((bytes: number) => Promise<void>) | undefined,
): Promise<FoundSeries> {
  return findScalarSeries(snapshot, request, async (list) => {
    if (request.sampling !== 'raw') checkCells(list.length, request.points);
    await reserve?.(bytesOf(request, list));
  });
}

/** Typical maximum size of a bucket of ten columns, or a point of three, as numbers plus text. */
const bytesPerBucket = 256;
const bytesPerPoint = 96;

/** Bytes of a response in memory, as far as known before reading. */
function bytesOf(request: ScalarRequest, list: readonly ScalarSeries[]): number {
  const most = request.sampling === 'raw' ? Infinity : request.points;
  const points = list.reduce((sum, series) => sum + Math.min(series.points, most), 0);
  if (request.sampling === 'raw') return Math.min(points, request.pageSize) * bytesPerPoint;
  return points * (request.sampling === 'minmax' ? bytesPerBucket : bytesPerPoint);
}

/** Series, and their points in tails. */
export interface FoundSeries {
  readonly list: ScalarSeries[];
  readonly tails: ReadonlyMap<string, SeriesTail>;
}

/**
 * The matching series, and their points in tails. `check` is called with the list first, and may
 * throw.
 */
export async function findScalarSeries(
  snapshot: Snapshot,
  selection: SeriesSelection,
  check?: (list: readonly ScalarSeries[]) => Promise<void>,
): Promise<FoundSeries> {
  const list = await listScalarSeries(snapshot, { ...selection, ...stepRange(selection) });
  await check?.(list);
  const wanted = new Set(list.map((series) => series.seriesId));
  return { list, tails: tailsBySeries(await readTailsOfSeries(snapshot, rangesOf(list)), wanted) };
}

/** The id range of these series for each run. */
export function rangesOf(list: readonly { readonly runId: RunId; readonly seriesId: SeriesId }[]): SeriesRange[] {
  return [...Map.groupBy(list, ({ runId }) => runId)].map(([runId, group]) => {
    const ids = group.map(({ seriesId }) => BigInt(seriesId));
    const [first, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
    return { runId, firstSeries: String(first), lastSeries: String(last) };
  });
}
