import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Locks the members of a workspace until the transaction ends, so that two owners who leave at the
 * same time do not leave it without an owner. Adding an experiment does not wait for this lock.
 * Returns false if the workspace is being deleted.
 */
export async function lockMembers({ trx, tenantId }: TenantScope): Promise<boolean> {
  const { rows } = await sql`/* lock-members */
    select 1 from workspace where tenant_id = ${tenantId} and deleted_at is null for no key update`.execute(trx);
  return rows.length > 0;
}
