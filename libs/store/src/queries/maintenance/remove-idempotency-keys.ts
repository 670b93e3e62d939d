import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes at most `limit` idempotency keys older than `keptHours`, oldest first. Returns how many
 * were removed. Skips locked keys, which a request is claiming again.
 */
export async function removeIdempotencyKeys({ trx, tenantId }: TenantScope, keptHours: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-idempotency-keys */
    delete from idempotency_key where tenant_id = ${tenantId} and key_hash in (
    select key_hash from idempotency_key
    where tenant_id = ${tenantId} and created_at < now() - make_interval(hours => ${keptHours})
    order by created_at limit ${limit} for update skip locked)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
