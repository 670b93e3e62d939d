import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** `browser_session` is global: a cookie alone finds its tenant. It expires by the clock of the database, which all processes share. */
export async function insertBrowserSession(
  db: Kysely<Database>,
  session: { sessionHash: Buffer; tenantId: string; personId: string; lifetimeSeconds: number },
): Promise<void> {
  await db
    .insertInto('browser_session')
    .values({
      session_hash: session.sessionHash,
      tenant_id: session.tenantId,
      person_id: session.personId,
      expires_at: sql<Date>`now() + make_interval(secs => ${session.lifetimeSeconds})`,
    })
    .execute();
}

/** Whose session it is; null when it is unknown or expired. */
export async function readBrowserSession(
  db: Kysely<Database>,
  sessionHash: Buffer,
): Promise<{ tenantId: string; personId: string } | null> {
  const row = await db
    .selectFrom('browser_session')
    .select(['tenant_id', 'person_id'])
    .where('session_hash', '=', sessionHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row ? { tenantId: row.tenant_id, personId: row.person_id } : null;
}
