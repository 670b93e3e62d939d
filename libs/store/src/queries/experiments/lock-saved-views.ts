import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Locks an experiment's views against other changes until the transaction ends, and counts the
 * views in a person's private list or in the shared list.
 */
export async function lockSavedViews(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  { personId, shared }: { readonly personId: string; readonly shared: boolean },
): Promise<number> {
  await sql`/* lock-saved-views */
    select 1 from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: string }>`/* count-saved-views */
    select count(*) as count from saved_view
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and shared = ${shared} and (shared or owner_id = ${personId})`.execute(
    trx,
  );
  return Number(rows[0]!.count);
}
