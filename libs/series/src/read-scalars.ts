import { listScalarSeries, readTailsOfSeries, type ScalarSeries, type SeriesRange, type Store } from '#store';
import { type Admit, readAdmitted } from './admit.ts';
import { readLast } from './read-last.ts';
import { readLogOrder } from './read-log-order.ts';
import { readMinmax } from './read-minmax.ts';
import { readMostRecent } from './read-most-recent.ts';
import { readRandom } from './read-random.ts';
import { readRaw } from './read-raw.ts';
import type { ScalarAnswer } from './scalar-answer.ts';
import { checkCells, type ScalarRequest, stepRange } from './scalar-request.ts';
import { tailsBySeries } from './tail-points.ts';

const readers = { minmax: readMinmax, last: readLast, random: readRandom, tail: readMostRecent } as const;

/**
 * Answers a scalars query of a tenant's experiment; permission, frontier and data are from one snapshot. `admit` throws when the caller
 * may not see the experiment.
 */
export async function readScalars(store: Store, tenantId: string, request: ScalarRequest, admit: Admit): Promise<ScalarAnswer> {
  return store.withSnapshot(tenantId, async ({ trx, client }) => {
    const [frontier, list] = await Promise.all([
      readAdmitted(trx, tenantId, request.experimentId, admit),
      listScalarSeries(client, tenantId, { ...request, ...stepRange(request) }),
    ]);
    if (request.sampling !== 'raw') checkCells(list.length, request.points);
    const wanted = new Set(list.map((series) => series.seriesId));
    const tails = tailsBySeries(await readTailsOfSeries(client, tenantId, rangesOf(list)), wanted);
    if (request.sampling === 'raw') {
      const page = await (request.superseded ? readLogOrder : readRaw)(client, tenantId, request, list, tails);
      return { frontier, ...page };
    }
    return { frontier, series: await readers[request.sampling](client, tenantId, request, list, tails), nextPageToken: null };
  });
}

function rangesOf(list: readonly ScalarSeries[]): SeriesRange[] {
  return [...Map.groupBy(list, ({ runId }) => runId)].map(([runId, group]) => {
    const ids = group.map(({ seriesId }) => BigInt(seriesId));
    const [first, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
    return { runId, firstSeries: String(first), lastSeries: String(last) };
  });
}
