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

/** From now on the token works nowhere; answers that are kept elsewhere are at most five seconds old. False: it was revoked before. */
export async function revokeAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<boolean> {
  const { rows } = await sql`
    update access_token set revoked_at = now() where tenant_id = ${tenantId} and token_id = ${tokenId} and revoked_at is null returning 1`.execute(
    trx,
  );
  return rows.length > 0;
}
