import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whose token it is, revoked or not; null: there is none. */
export async function readTokenOwner(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('access_token')
    .select('person_id')
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
  return row?.person_id ?? null;
}

/**
 * From now on the token works nowhere, nor what was made by it: tokens, sessions, links and codes, and what was made by those. Answers that are kept elsewhere are at most
 * five seconds old. Gives the ids of the tokens that ended; none: it was revoked before.
 */
export async function revokeAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<string[]> {
  const { rows } = await sql<{ token_id: string }>`
    with recursive ended as (
      select token_id from access_token where tenant_id = ${tenantId} and token_id = ${tokenId} and revoked_at is null
      union
      select t.token_id from access_token t join ended e on t.made_by = e.token_id where t.tenant_id = ${tenantId}
    )
    update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and token_id in (select token_id from ended) and revoked_at is null returning token_id`.execute(trx);
  const ended = rows.map(({ token_id: id }) => id);
  if (ended.length > 0) {
    await sql`delete from browser_session where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`delete from sign_in_link where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`delete from device_code where token_id = any(${ended}::uuid[])`.execute(trx);
  }
  return ended;
}
