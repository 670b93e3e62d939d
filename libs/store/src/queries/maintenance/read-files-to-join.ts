import { sql } from 'kysely';
import { type FileId, parseTenantId, type TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/** A complete file with segments that are not joined yet. */
export interface FileToJoin {
  readonly tenantId: TenantId;
  readonly fileId: FileId;
}

/** One page of the ledger. `next` is where the next page begins, or null at the end. */
export interface FilesToJoin {
  readonly files: readonly FileToJoin[];
  readonly next: FileToJoin | null;
}

const beginning = { tenantId: parseTenantId('00000000-0000-0000-0000-000000000000'), fileId: '0' };

/**
 * Checks the `limit` complete files that follow `after` in key order (null means from the start).
 * Returns those that have been complete for `completeForMs` and are fully ingested. The other files
 * still count toward the page: n of them delay a file by n / `limit` pages. Reads all tenants
 * without locks (role plotline_sweeper).
 */
export async function readFilesToJoin(
  sweeper: SweeperHandle,
  after: FileToJoin | null,
  limit: number,
  completeForMs: number,
): Promise<FilesToJoin> {
  const { tenantId, fileId } = after ?? beginning;
  // Ordered by the key of the pending segments. Otherwise, the planner may assume that a long list
  // has an early match, and read the whole list.
  const { rows } = await sql<{ tenant_id: TenantId; file_id: FileId; ready: boolean }>`
    /* read-files-to-join */
    select f.tenant_id, f.file_id,
      p.file_id is null and f.completed_at <= now() - make_interval(secs => ${completeForMs / 1000}) as ready
    from event_file f left join lateral (
      select p.file_id from pending_segment p
      where p.tenant_id = f.tenant_id and p.experiment_id = f.experiment_id and p.run_id = f.run_id and p.file_id = f.file_id
      order by p."offset" limit 1) p on true
    where f.completed_bytes > f.joined_bytes and f.dropped_bytes = 0
      and (f.tenant_id, f.file_id) > (${tenantId}::uuid, ${fileId}::bigint)
    order by f.tenant_id, f.file_id limit ${limit}`.execute(sweeper);
  const found = rows.map((row) => ({ tenantId: row.tenant_id, fileId: row.file_id }));
  return { files: found.filter((_, index) => rows[index]!.ready), next: found.length < limit ? null : found.at(-1)! };
}
