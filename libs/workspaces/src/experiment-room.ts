import { countExperimentsToAdd, type TenantTransaction } from '#store';
import { quotaExceeded } from './usage-report.ts';

/** Throws `quota-exceeded` unless one more experiment fits. Called in the transaction that makes it; until that ends nobody else takes the place. */
export async function requireRoomForExperiment(trx: TenantTransaction, tenantId: string, limit: number): Promise<void> {
  const used = await countExperimentsToAdd(trx, tenantId);
  if (used >= limit) throw quotaExceeded('experiments', limit, used);
}
