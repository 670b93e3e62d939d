import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Tries to get the exclusive right to copy an experiment in the workspace until the transaction
 * ends. Does not wait. The lock is on the node that we connect to, because all processes use the
 * coordinator.
 */
export async function claimSnapshot({ trx, tenantId }: TenantScope): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`/* claim-snapshot */
    select pg_try_advisory_xact_lock(hashtextextended(${tenantId}, 21)) as taken`.execute(trx);
  return rows[0]!.taken;
}
