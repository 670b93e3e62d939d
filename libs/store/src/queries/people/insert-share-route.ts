import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/** Makes a link valid. `share_link_route` is global. */
export async function insertShareRoute(
  db: GlobalHandle,
  route: { readonly linkHash: Buffer; readonly tenantId: TenantId; readonly linkId: string },
): Promise<void> {
  await db
    .insertInto('share_link_route')
    .values({ link_hash: route.linkHash, tenant_id: route.tenantId, link_id: route.linkId })
    .modifyEnd(sql`/* insert-share-route */`)
    .execute();
}
