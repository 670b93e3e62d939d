import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/**
 * `browser_session` is global: the cookie alone identifies its tenant. It expires by the clock of
 * the database, which all processes share.
 */
export async function insertBrowserSession(
  db: GlobalHandle,
  session: {
    sessionHash: Buffer;
    tenantId: TenantId;
    personId: string;
    lifetimeSeconds: number;
    idleSeconds: number;
    /** The session ends with this credential, even before its lifetime is over. */
    creator: Creator;
  },
): Promise<void> {
  await db
    .insertInto('browser_session')
    .values({
      session_hash: session.sessionHash,
      tenant_id: session.tenantId,
      person_id: session.personId,
      expires_at: sql<Date>`least(now() + make_interval(secs => ${session.lifetimeSeconds}), ${session.creator.until}::timestamptz)`,
      idle_seconds: session.idleSeconds,
      credential_until: session.creator.until,
      token_id: session.creator.tokenId,
    })
    .modifyEnd(sql`/* insert-browser-session */`)
    .execute();
}

/** A browser session as its person sees it. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly createdAt: Date;
  /** Accurate to a twentieth of the idle timeout. */
  readonly seenAt: Date;
  readonly current: boolean;
}

/**
 * The person and workspace of a session; null if it is unknown, expired, or idle for too long.
 * Records its use occasionally.
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

/**
 * The active sessions of a person, most recently used first. `current`: the session with the given
 * hash.
 */
export async function listBrowserSessions(db: GlobalHandle, personId: string, sessionHash: Buffer | null): Promise<SessionSummary[]> {
  const { rows } = await sql<{ session_id: string; created_at: Date; seen_at: Date; current: boolean | null }>`
    /* list-browser-sessions */
    select session_id, created_at, seen_at, session_hash = ${sessionHash}::bytea as current from browser_session
    where person_id = ${personId} and expires_at > now() and seen_at > now() - make_interval(secs => idle_seconds)
    order by seen_at desc, session_id limit 100`.execute(db);
  return rows.map((row) => ({ sessionId: row.session_id, createdAt: row.created_at, seenAt: row.seen_at, current: row.current === true }));
}

/** Ends the session of a cookie, and any OpenID sign-in that its person started. */
export async function endBrowserSession(db: GlobalHandle, sessionHash: Buffer): Promise<void> {
  const { rows } = await sql<{ person_id: string }>`
    /* end-browser-session */
    delete from browser_session where session_hash = ${sessionHash} returning person_id`.execute(db);
  if (rows[0])
    await sql`/* end-browser-session-oidc-attempt */
    delete from oidc_attempt where person_id = ${rows[0].person_id}`.execute(db);
}

/**
 * Ends one session of a person, or with null all but `except`; also the person's unfinished
 * sign-ins and sign-in links, since it is unknown who started them.
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

/**
 * Moves a session to another workspace of its person, under a new secret, so the old cookie no
 * longer gives access. Returns its remaining seconds; null if it belongs to another person or has
 * ended.
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
