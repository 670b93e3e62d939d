import type { Caller } from '#auth';
import { makeSnapshot, type SnapshotWish } from '#experiments';
import { type Quotas, storedQuotas } from '#model';
import { countExperimentsToAdd, type ExperimentSummary, readUsage, type TenantTransaction } from '#store';
import { quotaExceeded, usedOf } from './usage-report.ts';

/**
 * Makes a snapshot, and throws `quota-exceeded` when the workspace has more than it may then: what a copy takes is known when it is made, and the transaction that
 * makes it is undone.
 */
export async function takeSnapshot(
  trx: TenantTransaction,
  caller: Caller,
  experimentId: string,
  {
    wish,
    quotas,
    may,
  }: { readonly wish: SnapshotWish; readonly quotas: Quotas; readonly may?: 'experiment.snapshot' | 'experiment.share' },
): Promise<ExperimentSummary> {
  const made = await makeSnapshot(trx, caller, experimentId, wish, may);
  // Two who take the last room at the same moment wait for one another here.
  await countExperimentsToAdd(trx, caller.tenantId);
  const used = usedOf(await readUsage(trx, caller.tenantId));
  const over = storedQuotas.find((name) => used[name] > quotas[name]);
  if (over) throw quotaExceeded(over, quotas[over], used[over]);
  return made;
}
