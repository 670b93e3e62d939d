import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * A token's workspace, found by the token's SHA-256. `token_route` is global: it identifies a
 * request's tenant.
 */
export async function readTokenRoute(db: GlobalHandle, tokenHash: Buffer): Promise<{ tenantId: TenantId; tokenId: string } | null> {
  const row = await db
    .selectFrom('token_route')
    .select(['tenant_id', 'token_id'])
    .where('token_hash', '=', tokenHash)
    .modifyFront(sql`/* read-token-route */`)
    .executeTakeFirst();
  return row ? { tenantId: row.tenant_id, tokenId: row.token_id } : null;
}
