import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** The response to an earlier request with the same key. */
export interface EarlierResponse {
  readonly requestHash: Buffer;
  readonly status: number;
  readonly response: unknown;
}

/**
 * Claims a key for this transaction. Returns null if the key is unused (or was used more than
 * `keptHours` ago); otherwise, returns the earlier response. If another transaction holds the key,
 * waits for it to end, so that a key is never visible without its response.
 */
export async function claimIdempotencyKey(
  { trx, tenantId }: TenantScope,
  keyHash: Buffer,
  requestHash: Buffer,
  keptHours: number,
): Promise<EarlierResponse | null> {
  // Uses the database's clock, which all processes share. DO UPDATE uses only constants and
  // `excluded`, as Citus requires.
  const { rows: times } = await sql<{ kept_since: Date }>`/* read-kept-since */
    select now() - make_interval(hours => ${keptHours}) as kept_since`.execute(trx);
  const { rows: claimed } = await sql`
    /* claim-idempotency-key */
    insert into idempotency_key as k (tenant_id, key_hash, request_hash, created_at)
    values (${tenantId}, ${keyHash}, ${requestHash}, now())
    on conflict (tenant_id, key_hash) do update
      set request_hash = excluded.request_hash, status = null, response = null, created_at = excluded.created_at
      where k.created_at < ${times[0]!.kept_since}
    returning 1`.execute(trx);
  if (claimed.length > 0) return null;
  const row = await trx
    .selectFrom('idempotency_key')
    .select(['request_hash', 'status', 'response'])
    .where('tenant_id', '=', tenantId)
    .where('key_hash', '=', keyHash)
    .modifyFront(sql`/* claim-idempotency-key-idempotency-key */`)
    .executeTakeFirstOrThrow();
  if (row.status === null) throw new Error('an idempotency key was committed without its response');
  return { requestHash: row.request_hash, status: row.status, response: row.response };
}
