import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** `browser_session` is global: a cookie alone finds its tenant. */
export async function insertBrowserSession(
  db: Kysely<Database>,
  session: { sessionHash: Buffer; tenantId: string; personId: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('browser_session')
    .values({ session_hash: session.sessionHash, tenant_id: session.tenantId, person_id: session.personId, expires_at: session.expiresAt })
    .execute();
}

export async function readBrowserSession(
  db: Kysely<Database>,
  sessionHash: Buffer,
): Promise<{ tenantId: string; personId: string; expiresAt: Date } | null> {
  const row = await db
    .selectFrom('browser_session')
    .select(['tenant_id', 'person_id', 'expires_at'])
    .where('session_hash', '=', sessionHash)
    .executeTakeFirst();
  return row ? { tenantId: row.tenant_id, personId: row.person_id, expiresAt: row.expires_at } : null;
}
