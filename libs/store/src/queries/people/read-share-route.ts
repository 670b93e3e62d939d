import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * The workspace of a link, by the SHA-256 of its secret. `share_link_route` is global: it
 * identifies the tenant of a visitor.
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
