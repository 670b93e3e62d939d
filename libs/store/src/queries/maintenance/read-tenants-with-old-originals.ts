import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/**
 * Workspaces with originals that have exceeded their retention, but without a deletion to remove
 * them. Reads all tenants without locks (role plotline_sweeper).
 */
export async function readTenantsWithOldOriginals(sweeper: SweeperHandle, limit: number): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`
    /* read-tenants-with-old-originals */
    select w.tenant_id from workspace w
    where w.originals_days is not null and w.deleted_at is null
      and exists (select 1 from event_file f where f.tenant_id = w.tenant_id and f.dropped_bytes = 0
        and f.completed_bytes > 0 and f.completed_at < now() - make_interval(days => w.originals_days))
      and not exists (select 1 from deletion d where d.tenant_id = w.tenant_id and d.kind = 'originals' and d.finished_at is null)
    limit ${limit}`.execute(sweeper);
  return rows.map((row) => row.tenant_id);
}
