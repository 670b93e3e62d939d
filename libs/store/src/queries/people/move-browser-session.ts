import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Moves a session to another of its person's workspaces, under a new secret, so that the old cookie
 * no longer gives access. Returns the session's remaining seconds. Null if it belongs to another
 * person or has ended.
 */
export async function moveBrowserSession(
  db: GlobalHandle,
  { from, to, personId, tenantId }: { from: Buffer; to: Buffer; personId: string; tenantId: TenantId },
): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    /* move-browser-session-expires-at */
    select extract(epoch from expires_at - now())::int as seconds from browser_session
    where session_hash = ${from} and person_id = ${personId} and expires_at > now()`.execute(db);
  const { rows: moved } = await sql`
    /* move-browser-session */
    update browser_session set session_hash = ${to}, tenant_id = ${tenantId}
    where session_hash = ${from} and person_id = ${personId} and expires_at > now() returning 1`.execute(db);
  return moved.length > 0 ? (rows[0]?.seconds ?? null) : null;
}
