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
 * Answers a scalars query of a tenant's experiment; permission, frontier and data are from one snapshot. `admit` throws when the caller
 * may not see the experiment. `reserve` is called with the bytes that the answer may take, before a point is read, and may throw.
 */
export async function readScalars(
  store: Store,
  tenantId: string,
  request: ScalarRequest,
  admit: Admit,
  reserve?: (bytes: number) => Promise<void>,
): Promise<ScalarAnswer> {
  return store.withSnapshot(tenantId, async ({ trx, client }) => {
    // Asked for at once, in one snapshot: whoever is not admitted is told nothing of the rest.
    const [frontier, { list, tails }] = await Promise.all([
      readAdmitted(trx, tenantId, request, admit),
      readSeries(client, tenantId, request, reserve),
    ]);
    const severalWriters = haveSeveralWriters(list);
    if (request.sampling === 'raw') {
      const page = await (request.superseded ? readLogOrder : readRaw)(client, tenantId, request, list, tails);
      return { frontier, severalWriters, ...page };
    }
    const sampled = await readers[request.sampling](client, tenantId, request, list, tails);
    const series = request.sampling === 'minmax' ? await countNotFinite(client, tenantId, list, tails, sampled) : sampled;
    const { from, smoothing = 0 } = request;
    if (smoothing <= 0 || request.sampling !== 'minmax') return { frontier, series, severalWriters, nextPageToken: null };
    const smoothed = await readSmoothed(client, tenantId, { from, smoothing }, list, tails, series);
    return { frontier, series: smoothed, severalWriters, nextPageToken: null };
  });
}

/** Throws `answer-too-large` when there are too many series for the points that were asked for. */
async function readSeries(
  client: Snapshot['client'],
  tenantId: string,
  request: ScalarRequest,
  reserve: ((bytes: number) => Promise<void>) | undefined,
): Promise<FoundSeries> {
  return findScalarSeries(client, tenantId, request, async (list) => {
    if (request.sampling !== 'raw') checkCells(list.length, request.points);
    await reserve?.(bytesOf(request, list));
  });
}

/** What a bucket of ten columns, or a point of three, takes as numbers and as text, at most in what is usual. */
const bytesPerBucket = 256;
const bytesPerPoint = 96;

/** Bytes of an answer in memory, as far as they are known before it is read. */
function bytesOf(request: ScalarRequest, list: readonly ScalarSeries[]): number {
  const most = request.sampling === 'raw' ? Infinity : request.points;
  const points = list.reduce((sum, series) => sum + Math.min(series.points, most), 0);
  if (request.sampling === 'raw') return Math.min(points, request.pageSize) * bytesPerPoint;
  return points * (request.sampling === 'minmax' ? bytesPerBucket : bytesPerPoint);
}

/** Series, and what of them is in tails. */
export interface FoundSeries {
  readonly list: ScalarSeries[];
  readonly tails: ReadonlyMap<string, SeriesTail>;
}

/** The series that match, and what of them is in tails. `check` sees the list first, and may throw. */
export async function findScalarSeries(
  client: Snapshot['client'],
  tenantId: string,
  selection: SeriesSelection,
  check?: (list: readonly ScalarSeries[]) => Promise<void>,
): Promise<FoundSeries> {
  const list = await listScalarSeries(client, tenantId, { ...selection, ...stepRange(selection) });
  await check?.(list);
  const wanted = new Set(list.map((series) => series.seriesId));
  return { list, tails: tailsBySeries(await readTailsOfSeries(client, tenantId, rangesOf(list)), wanted) };
}

/** Of each run, the range of the ids of these series. */
export function rangesOf(list: readonly { readonly runId: string; readonly seriesId: string }[]): SeriesRange[] {
  return [...Map.groupBy(list, ({ runId }) => runId)].map(([runId, group]) => {
    const ids = group.map(({ seriesId }) => BigInt(seriesId));
    const [first, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
    return { runId, firstSeries: String(first), lastSeries: String(last) };
  });
}
