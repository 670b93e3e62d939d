import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whose token it is; null when it is unknown, revoked, or expired by the clock of the database, which all processes share. */
export async function readAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<{ personId: string } | null> {
  const row = await trx
    .selectFrom('access_token')
    .select('person_id')
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
  return row ? { personId: row.person_id } : null;
}
