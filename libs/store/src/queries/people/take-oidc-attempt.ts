import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { OidcAttempt } from './insert-oidc-attempt.ts';

/**
 * Consumes an attempt. Null if it is unknown, was used before, or is too old. Of two concurrent
 * calls, only one gets the attempt.
 */
export async function takeOidcAttempt(db: GlobalHandle, attemptHash: Buffer): Promise<OidcAttempt | null> {
  const { rows } = await sql<{ next: string; tenant_id: TenantId | null; person_id: string | null }>`
    /* take-oidc-attempt */
    delete from oidc_attempt where attempt_hash = ${attemptHash} and expires_at > now()
    returning next, tenant_id, person_id`.execute(db);
  const row = rows[0];
  if (!row) return null;
  const { next, tenant_id: tenantId, person_id: personId } = row;
  return { next, owner: tenantId !== null && personId !== null ? { tenantId, personId } : null };
}
