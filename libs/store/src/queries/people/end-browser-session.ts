import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Ends a cookie's session, and any OpenID sign-in that its person has in progress. */
export async function endBrowserSession(db: GlobalHandle, sessionHash: Buffer): Promise<void> {
  const { rows } = await sql<{ person_id: string }>`
    /* end-browser-session */
    delete from browser_session where session_hash = ${sessionHash} returning person_id`.execute(db);
  if (rows[0])
    await sql`/* end-browser-session-oidc-attempt */
    delete from oidc_attempt where person_id = ${rows[0].person_id}`.execute(db);
}

/**
 * Ends one of a person's sessions or, if null, all except `except`. Also removes the person's
 * unfinished sign-ins and sign-in links, because it is unknown who started them.
 */
export async function endBrowserSessionsOf(
  db: GlobalHandle,
  personId: string,
  { sessionId, except }: { readonly sessionId: string | null; readonly except: Buffer | null },
): Promise<void> {
  await sql`/* end-browser-sessions-of-browser-session */ delete from browser_session where person_id = ${personId}
    and (${sessionId}::uuid is null or session_id = ${sessionId}::uuid)
    and (${except}::bytea is null or session_hash <> ${except}::bytea)`.execute(db);
  await sql`/* end-browser-sessions-of-oidc-attempt */ delete from oidc_attempt where person_id = ${personId}`.execute(db);
  await sql`/* end-browser-sessions-of-sign-in-link */ delete from sign_in_link where person_id = ${personId}`.execute(db);
  await sql`/* end-browser-sessions-of-device-code */ delete from device_code where person_id = ${personId}`.execute(db);
}
