import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

export async function insertAccessToken(
  trx: Kysely<Database>,
  tenantId: string,
  token: { tokenId: string; personId: string; name: string; hint: string; expiresAt: Date | null },
): Promise<void> {
  await trx
    .insertInto('access_token')
    .values({
      tenant_id: tenantId,
      token_id: token.tokenId,
      person_id: token.personId,
      name: token.name,
      hint: token.hint,
      expires_at: token.expiresAt,
    })
    .execute();
}
