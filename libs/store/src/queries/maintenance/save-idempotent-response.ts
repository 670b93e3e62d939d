import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Stores the response to the request that claimed the key, in the same transaction. Also removes
 * keys older than `keptHours`.
 */
export async function saveIdempotentResponse(
  { trx, tenantId }: TenantScope,
  keyHash: Buffer,
  status: number,
  response: unknown,
  keptHours: number,
): Promise<void> {
  await trx
    .updateTable('idempotency_key')
    .set({ status, response: JSON.stringify(response) })
    .where('tenant_id', '=', tenantId)
    .where('key_hash', '=', keyHash)
    .modifyEnd(sql`/* save-idempotent-answer-idempotency-key */`)
    .execute();
  // Locked rows are claimed by other requests. Waiting for a locked row here could deadlock.
  await sql`
    /* save-idempotent-answer-delete-idempotency-key */
    delete from idempotency_key where tenant_id = ${tenantId} and key_hash in (
      select key_hash from idempotency_key where tenant_id = ${tenantId} and created_at < now() - make_interval(hours => ${keptHours}) limit 100 for update skip locked)`.execute(
    trx,
  );
}
