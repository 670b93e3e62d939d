import { countExperimentsToAdd, type TenantScope } from '#store';
import { quotaExceeded } from './usage-report.ts';

/**
 * Throws `quota-exceeded` unless the quota allows one more experiment. Call this in the transaction
 * that creates the experiment. Until that transaction ends, no other creation can proceed.
 */
export async function requireExperimentQuota(scope: TenantScope, limit: number): Promise<void> {
  const used = await countExperimentsToAdd(scope);
  if (used >= limit) throw quotaExceeded('experiments', limit, used);
}
