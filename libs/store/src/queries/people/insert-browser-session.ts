import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/**
 * `browser_session` is global: the cookie alone identifies its tenant. It expires by the database's
 * clock, which all processes share.
 */
export async function insertBrowserSession(
  db: GlobalHandle,
  session: {
    sessionHash: Buffer;
    tenantId: TenantId;
    personId: string;
    lifetimeSeconds: number;
    idleSeconds: number;
    /** The session ends with this credential, even if that is before its lifetime is over. */
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
