import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Prevents a token from being revoked until the transaction ends, so that a revocation sees what
 * the transaction creates. Returns false if the token was already revoked. Ignores another
 * workspace's token.
 */
export async function holdAccessToken({ trx, tenantId }: TenantScope, tokenId: string): Promise<boolean> {
  const { rows } = await sql<{ revoked: boolean }>`
    /* hold-access-token */
    select revoked_at is not null as revoked from access_token where tenant_id = ${tenantId} and token_id = ${tokenId} for share`.execute(
    trx,
  );
  return rows[0]?.revoked !== true;
}
