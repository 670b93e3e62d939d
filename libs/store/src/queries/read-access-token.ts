import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whose token it is, and whether it still holds. */
export interface AccessToken {
  readonly personId: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export async function readAccessToken(trx: Kysely<Database>, tenantId: string, tokenId: string): Promise<AccessToken | null> {
  const row = await trx
    .selectFrom('access_token')
    .select(['person_id', 'expires_at', 'revoked_at'])
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
  return row ? { personId: row.person_id, expiresAt: row.expires_at, revokedAt: row.revoked_at } : null;
}
