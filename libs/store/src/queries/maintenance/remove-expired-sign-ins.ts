import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Removes at most `limit` expired browser sessions and at most `limit` expired sign-in links.
 * Returns how many rows were removed. Both tables are global.
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
