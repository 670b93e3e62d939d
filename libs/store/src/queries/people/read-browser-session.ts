import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/**
 * A session's person and workspace. Null if the session is unknown, expired, or idle for too long.
 * Occasionally records that the session was used.
 */
export async function readBrowserSession(
  db: GlobalHandle,
  sessionHash: Buffer,
): Promise<{ tenantId: TenantId; personId: string; creator: Creator } | null> {
  const { rows } = await sql<{
    tenant_id: TenantId;
    person_id: string;
    credential_until: Date | null;
    token_id: string | null;
    stale: boolean;
  }>`
    /* read-browser-session */
    select tenant_id, person_id, credential_until, token_id, seen_at < now() - make_interval(secs => idle_seconds / 20.0) as stale from browser_session
    where session_hash = ${sessionHash} and expires_at > now() and seen_at > now() - make_interval(secs => idle_seconds)`.execute(db);
  const row = rows[0];
  if (!row) return null;
  if (row.stale)
    await sql`/* read-browser-session-browser-session */
    update browser_session set seen_at = now() where session_hash = ${sessionHash}`.execute(db);
  return { tenantId: row.tenant_id, personId: row.person_id, creator: { tokenId: row.token_id, until: row.credential_until } };
}
