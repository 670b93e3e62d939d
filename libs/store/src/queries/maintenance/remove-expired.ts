import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes at most `limit` idempotency keys older than `keptHours`, oldest first; returns how many.
 * Skips locked keys: a request is claiming them again.
 */
export async function removeIdempotencyKeys({ trx, tenantId }: TenantScope, keptHours: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-idempotency-keys */
    delete from idempotency_key where tenant_id = ${tenantId} and key_hash in (
    select key_hash from idempotency_key
    where tenant_id = ${tenantId} and created_at < now() - make_interval(hours => ${keptHours})
    order by created_at limit ${limit} for update skip locked)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Forgets at most `limit` requests of uploaders of more than `keptHours`; returns how many. */
export async function removeUploaderRequests({ trx, tenantId }: TenantScope, keptHours: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-uploader-requests */ delete from uploader_request r
    using (select experiment_id, request_hash from uploader_request
      where tenant_id = ${tenantId} and received_at < now() - make_interval(hours => ${keptHours})
      order by received_at limit ${limit} for update skip locked) old
    where r.tenant_id = ${tenantId} and r.experiment_id = old.experiment_id and r.request_hash = old.request_hash`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Removes at most `limit` expired browser sessions and sign-in links each; returns how many. Both
 * are global.
 */
export async function removeExpiredSignIns(db: GlobalHandle, limit: number): Promise<number> {
  const sessions = await sql`/* remove-expired-sign-ins-browser-session */ delete from browser_session where session_hash in (
    select session_hash from browser_session where expires_at < now() order by expires_at limit ${limit} for update skip locked)`.execute(
    db,
  );
  const links = await sql`/* remove-expired-sign-ins-sign-in-link */ delete from sign_in_link where link_hash in (
    select link_hash from sign_in_link where expires_at < now() order by expires_at limit ${limit} for update skip locked)`.execute(db);
  return Number(sessions.numAffectedRows ?? 0n) + Number(links.numAffectedRows ?? 0n);
}
