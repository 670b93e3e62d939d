import { Problem } from '#model';
import { listScalarSeries, readFrontier, readRunTails, type ScalarSeries, type Store } from '#store';
import { readMinmax } from './read-minmax.ts';
import type { ScalarAnswer } from './scalar-answer.ts';
import { checkCells, type ScalarRequest, stepRange } from './scalar-request.ts';
import { tailsBySeries } from './tail-points.ts';

/** Answers a scalars query of a tenant's experiment, frontier and data from one snapshot. */
export async function readScalars(store: Store, tenantId: string, request: ScalarRequest): Promise<ScalarAnswer> {
  return store.withSnapshot(tenantId, async ({ trx, client }) => {
    const frontier = await readFrontier(trx, tenantId, request.experimentId);
    if (!frontier) throw experimentNotFound(request.experimentId);
    const list = await listScalarSeries(client, tenantId, { ...request, ...stepRange(request) });
    if (request.sampling !== 'raw') checkCells(list.length, request.points);
    const tails = tailsBySeries(await readRunTails(client, tenantId, runsOf(list)));
    switch (request.sampling) {
      default:
        return { frontier, series: await readMinmax({ client }, tenantId, request, list, tails), nextPageToken: null };
    }
  });
}

function runsOf(list: readonly ScalarSeries[]): string[] {
  return [...new Set(list.map((series) => series.runId))];
}

/** The same for an experiment that is not there, was deleted, or belongs to somebody else. */
export function experimentNotFound(experimentId: string): Problem {
  return new Problem('experiment-not-found', `There is no experiment ${JSON.stringify(experimentId.slice(0, 40))}, or it is not yours to read.`);
}
