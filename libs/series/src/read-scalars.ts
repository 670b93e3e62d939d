import type { TenantId } from '#model';
import type { ScalarSeries, Snapshot, Store } from '#store';
import { type Admit, readAdmitted } from './admit.ts';
import { countNotFinite } from './count-not-finite.ts';
import { findScalarSeries, type FoundSeries } from './find-scalar-series.ts';
import { readFormula } from './read-formula.ts';
import { readLast } from './read-last.ts';
import { readLogOrder } from './read-log-order.ts';
import { readMinmax } from './read-minmax.ts';
import { readMostRecent } from './read-most-recent.ts';
import { readRandom } from './read-random.ts';
import { readRaw } from './read-raw.ts';
import { readSmoothed } from './read-smoothed.ts';
import { readX } from './read-x.ts';
import { haveSeveralWriters, type ScalarResult, type SeriesResult } from './scalar-result.ts';
import { checkCells, type ScalarRequest } from './scalar-request.ts';

const readers = { minmax: readMinmax, last: readLast, random: readRandom, tail: readMostRecent } as const;

/**
 * Runs a scalars query on a tenant's experiment; permission, frontier and data come from one
 * snapshot. `admit` throws if the caller may not see the experiment. `reserve` is called with the
 * maximum bytes of the response before a point is read, and may throw.
 *
 * ```ts store
 * import type { ScalarRequest } from './scalar-request.ts';
 *
 * const runId = await world.run('a');
 * const seriesId = await world.series(runId, 'loss');
 * const values = Float64Array.from({ length: 10_000 }, (_, i) => (i === 4_321 ? 9 : 0));
 * const points = { steps: BigInt64Array.from(values, (_, i) => BigInt(i)), wallTimes: values, values };
 * await world.storePoints(seriesId, [{ fileId: await world.file(runId, 'events.1'), points }]);
 *
 * const all = { runs: null, tags: null, plugin: null, unlisted: false, from: null, to: null, view: null };
 * const page = { seed: '0', superseded: false, pageSize: 100, pageToken: null };
 * const request: ScalarRequest = { experimentId, ...all, sampling: 'minmax', points: 10, align: 'tag', ...page };
 * const { series } = await readScalars(store, tenantId, request, async () => undefined);
 * const { content } = series[0]!;
 * assert.ok('buckets' in content);
 * assert.equal(Math.max(...content.buckets.max), 9); // ten buckets of ten thousand points keep the spike
 * ```
 */
export async function readScalars(
  store: Store,
  tenantId: TenantId,
  request: ScalarRequest,
  admit: Admit,
  reserve?: (bytes: number) => Promise<void>,
): Promise<ScalarResult> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    const { formula = null } = request;
    if (formula !== null) {
      const frontier = await readAdmitted(snapshot, request, admit);
      const series = await readFormula(snapshot, { ...request, formula }, { reserve });
      return { frontier, severalWriters: false, series: await withX(snapshot, request, series), nextPageToken: null };
    }
    // Requested concurrently in one snapshot; a caller who is not admitted learns nothing from the
    // other results.
    const [frontier, { list, tails }] = await Promise.all([readAdmitted(snapshot, request, admit), readSeries(snapshot, request, reserve)]);
    const severalWriters = haveSeveralWriters(list);
    if (request.sampling === 'raw') {
      const page = await (request.superseded ? readLogOrder : readRaw)(snapshot, request, list, tails);
      return { frontier, severalWriters, ...page };
    }
    const sampled = await readers[request.sampling](snapshot, request, list, tails);
    const counted = request.sampling === 'minmax' ? await countNotFinite(snapshot, list, tails, sampled) : sampled;
    const { from, smoothing = 0 } = request;
    const series = await withX(snapshot, request, counted);
    if (smoothing <= 0 || request.sampling !== 'minmax') return { frontier, series, severalWriters, nextPageToken: null };
    const smoothed = await readSmoothed(snapshot, { from, smoothing }, list, tails, series);
    return { frontier, series: smoothed, severalWriters, nextPageToken: null };
  });
}

async function withX(snapshot: Snapshot, request: ScalarRequest, series: readonly SeriesResult[]): Promise<readonly SeriesResult[]> {
  const { x = null } = request;
  return x === null || request.sampling !== 'minmax' ? series : readX(snapshot, { ...request, x }, series);
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

/**
 * Typical maximum size, as numbers plus text, of a bucket with ten columns or a point with three.
 */
const bytesPerBucket = 256;
const bytesPerPoint = 96;

/** Bytes of a response in memory, as far as known before reading. */
function bytesOf(request: ScalarRequest, list: readonly ScalarSeries[]): number {
  const max = request.sampling === 'raw' ? Infinity : request.points;
  const points = list.reduce((sum, series) => sum + Math.min(series.points, max), 0);
  if (request.sampling === 'raw') return Math.min(points, request.pageSize) * bytesPerPoint;
  return points * (request.sampling === 'minmax' ? bytesPerBucket : bytesPerPoint);
}
