import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** A browser session as its person sees it. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly createdAt: Date;
  /** Accurate to one twentieth of the idle timeout. */
  readonly seenAt: Date;
  readonly current: boolean;
}

/**
 * A person's active sessions, most recently used first. `current` marks the session with the given
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
