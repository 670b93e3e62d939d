import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * At most `limit` files with originals that have exceeded the workspace's retention, in id order.
 * Starts after the id `after` (null means at the first file).
 */
export async function readOldOriginals({ trx, tenantId }: TenantScope, after: FileId | null, limit: number): Promise<FileId[]> {
  const { rows } = await sql<{ file_id: FileId }>`
    /* read-old-originals */
    select f.file_id from event_file f join workspace w on w.tenant_id = ${tenantId}
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    where f.tenant_id = ${tenantId} and f.file_id > ${after ?? '0'} and f.completed_at < now() - make_interval(days => w.originals_days)
      and (p.parsed_offset > f.dropped_bytes or (p.ended and f.durable_offset > f.dropped_bytes))
      and not exists (select 1 from pending_segment s where s.tenant_id = ${tenantId} and s.experiment_id = f.experiment_id
        and s.run_id = f.run_id and s.file_id = f.file_id)
    order by f.file_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.file_id);
}
