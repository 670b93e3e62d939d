import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * A link's workspace, found by the SHA-256 of the link's secret. `share_link_route` is global: it
 * identifies a visitor's tenant.
 */
export async function readShareRoute(db: GlobalHandle, linkHash: Buffer): Promise<{ tenantId: TenantId; linkId: string } | null> {
  const row = await db
    .selectFrom('share_link_route')
    .select(['tenant_id', 'link_id'])
    .where('link_hash', '=', linkHash)
    .modifyFront(sql`/* read-share-route */`)
    .executeTakeFirst();
  return row ? { tenantId: row.tenant_id, linkId: row.link_id } : null;
}
