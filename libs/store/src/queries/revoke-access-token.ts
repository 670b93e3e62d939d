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
 * From now on the token works nowhere, nor what was made by it: tokens, sessions, links, codes and open invitations, and what was made by those. Answers that are kept
 * elsewhere are at most five seconds old. Gives the ids of the tokens that ended; none: it was revoked before. Nothing is made by it meanwhile: see {@link holdAccessToken}.
 */
export async function revokeAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<string[]> {
  const ended: string[] = [];
  const { rows: root } = await sql<{ token_id: string }>`
    update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and token_id = ${tokenId} and revoked_at is null returning token_id`.execute(trx);
  // One generation after the other, each looked for when the one before it makes no more.
  for (let makers = root.map((row) => row.token_id); makers.length > 0;) {
    ended.push(...makers);
    const { rows } = await sql<{ token_id: string }>`
      update access_token set revoked_at = now()
      where tenant_id = ${tenantId} and made_by = any(${makers}::uuid[]) and revoked_at is null returning token_id`.execute(trx);
    makers = rows.map((row) => row.token_id);
  }
  if (ended.length > 0) {
    await sql`delete from browser_session where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`delete from sign_in_link where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`delete from device_code where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`update invitation set revoked_at = coalesce(revoked_at, now())
      where tenant_id = ${tenantId} and made_by = any(${ended}::uuid[]) and used_at is null`.execute(trx);
  }
  return ended;
}

/** Keeps a token from being revoked until the transaction ends, so that what is made by it is seen when it is. False: it was revoked. A token of another workspace is none. */
export async function holdAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<boolean> {
  const { rows } = await sql<{ revoked: boolean }>`
    select revoked_at is not null as revoked from access_token where tenant_id = ${tenantId} and token_id = ${tokenId} for share`.execute(
    trx,
  );
  return rows[0]?.revoked !== true;
}
