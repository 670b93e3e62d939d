import type { Caller } from '#auth';
import { newestFirst } from '#experiments';
import type { ExperimentId } from '#model';
import { type Experiment, type ExperimentMask, type Sent, type StreamExperimentsRequest, timestampOf } from '#protocols';
import { type ExperimentSummary, type ExperimentTotals, listExperiments, readExperimentTotals, type Store } from '#store';

/** Experiments per message. */
const pageSize = 100;
/**
 * Tolerated clock difference, in milliseconds. Clients send the time of their own clock, which must
 * not hide experiments that they have just created.
 */
const clockSkewMs = 300_000;
const personForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * A person's experiments, newest first, page by page. No page is empty (protocol reference B.5).
 * Includes only experiments in the caller's workspace that are within the credential's scope.
 * `user_id`: the owner, by default the caller. `read_timestamp`: includes only experiments created
 * by then.
 */
export async function* listExported(
  store: Store,
  caller: Caller,
  { userId, limit, readTimestamp, experimentsMask }: StreamExperimentsRequest,
): AsyncGenerator<Sent<Experiment>[]> {
  const ownedBy = userId === '' ? caller.personId : userId;
  if (!personForm.test(ownedBy)) return;
  const madeBy = readTimestamp === null ? Infinity : Number(readTimestamp.seconds) * 1_000 + clockSkewMs;
  // The CLI sends the largest int64 as its limit.
  let left = limit <= 0n ? Infinity : Number(limit);
  for (let after: ExperimentId | null = null; left > 0;) {
    const { page, totals } = await store.withTenant(
      caller.tenantId,
      async (scope) => {
        const request = { filter: null, order: newestFirst, limit: pageSize, after, within: caller.experiments, ownedBy };
        const found = (await listExperiments(scope, request)) ?? [];
        const ids = found.map(({ experimentId }) => experimentId);
        return {
          page: found,
          totals: wantsTotals(experimentsMask) ? await readExperimentTotals(scope, ids) : [],
        };
      },
      { readOnly: true, isolation: 'repeatable read' },
    );
    const byId = new Map(totals.map((total) => [total.experimentId, total]));
    const shown = page.filter(({ createdAt }) => createdAt.getTime() <= madeBy).slice(0, left);
    if (shown.length > 0) yield shown.map((experiment) => masked(experiment, byId.get(experiment.experimentId), experimentsMask));
    left -= shown.length;
    if (page.length < pageSize) return;
    after = page.at(-1)!.experimentId;
  }
}

function wantsTotals(mask: ExperimentMask | null): boolean {
  return mask !== null && (mask.updateTime || mask.numTags || mask.totalTensorBytes || mask.totalBlobBytes);
}

/** The fields in the mask. The id is always included. */
function masked(experiment: ExperimentSummary, totals: ExperimentTotals | undefined, mask: ExperimentMask | null): Sent<Experiment> {
  const at = (time: Date) => timestampOf(time.getTime() / 1_000);
  return {
    experimentId: experiment.experimentId,
    ...(mask?.createTime && { createTime: at(experiment.createdAt) }),
    ...(mask?.updateTime && { updateTime: at(totals?.lastWrite ?? experiment.updatedAt) }),
    ...(mask?.numScalars && { numScalars: experiment.points }),
    ...(mask?.numRuns && { numRuns: experiment.runs }),
    ...(mask?.numTags && { numTags: totals?.tags ?? 0 }),
    ...(mask?.name && { name: experiment.name }),
    ...(mask?.description && { description: experiment.description }),
    ...(mask?.totalTensorBytes && { totalTensorBytes: totals?.tensorBytes ?? 0 }),
    ...(mask?.totalBlobBytes && { totalBlobBytes: totals?.blobBytes ?? 0 }),
    ...(mask?.owner && { owner: experiment.ownerName }),
  };
}
