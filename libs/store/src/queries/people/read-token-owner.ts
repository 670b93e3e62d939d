import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A token's owner, even if the token was revoked. Null if there is no such token. */
export async function readTokenOwner({ trx, tenantId }: TenantScope, tokenId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('access_token')
    .select('person_id')
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .modifyFront(sql`/* read-token-owner */`)
    .executeTakeFirst();
  return row?.person_id ?? null;
}
