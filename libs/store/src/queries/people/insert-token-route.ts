import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/** Makes a token valid. `token_route` is global. */
export async function insertTokenRoute(db: GlobalHandle, route: { tokenHash: Buffer; tenantId: TenantId; tokenId: string }): Promise<void> {
  await db
    .insertInto('token_route')
    .values({ token_hash: route.tokenHash, tenant_id: route.tenantId, token_id: route.tokenId })
    .modifyEnd(sql`/* insert-token-route */`)
    .execute();
}
