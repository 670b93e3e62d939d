import type { Caller } from '#auth';
import { makeSnapshot, type SnapshotRequest } from '#experiments';
import { type ExperimentId, type Quotas, storedQuotas } from '#model';
import { countExperimentsToAdd, type ExperimentSummary, readUsage, type TenantScope } from '#store';
import { quotaExceeded, usedOf } from './usage-report.ts';

/** Copies an experiment's logs to a new copy of the experiment. */
export type AddLogs = (scope: TenantScope, copy: { readonly from: ExperimentId; readonly to: ExperimentId }) => Promise<void>;

/**
 * Creates a snapshot, and throws `quota-exceeded` if the workspace then exceeds its quotas: the
 * size of a copy is known only after it is created. If the copy is too large, its transaction is
 * rolled back. Without `addLogs`, the snapshot has no logs.
 */
export async function takeSnapshot(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  {
    request,
    quotas,
    may,
    addLogs,
  }: {
    readonly request: SnapshotRequest;
    readonly quotas: Quotas;
    readonly may?: 'experiment.snapshot' | 'experiment.share';
    readonly addLogs?: AddLogs | undefined;
  },
): Promise<ExperimentSummary> {
  const made = await makeSnapshot(scope, caller, experimentId, request, may);
  await addLogs?.(scope, { from: experimentId, to: made.experimentId });
  // Two concurrent creations that would both use the rest of the quota wait for each other here.
  await countExperimentsToAdd(scope);
  const used = usedOf(await readUsage(scope));
  const over = storedQuotas.find((name) => used[name] > quotas[name]);
  if (over) throw quotaExceeded(over, quotas[over], used[over]);
  return made;
}
