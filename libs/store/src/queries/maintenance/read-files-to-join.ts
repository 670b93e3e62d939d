import { sql, type Kysely } from 'kysely';
import type { Database } from '../../database.ts';

/** A complete file whose segments are not joined yet. */
export interface FileToJoin {
  readonly tenantId: string;
  readonly fileId: string;
}

/** One look at the ledger. `next`: where the following look goes on; null when this one came to the end. */
export interface FilesToJoin {
  readonly files: readonly FileToJoin[];
  readonly next: FileToJoin | null;
}

const beginning: FileToJoin = { tenantId: '00000000-0000-0000-0000-000000000000', fileId: '0' };

/**
 * The files that have been complete for `completeForMs` and of which nothing is left to be ingested, among the `limit` complete ones that follow `after` in the
 * order of their keys (null: from the beginning); over all tenants and without locks (role plotline_sweeper). Those that wait for being ingested, however many, hide no others.
 */
export async function readFilesToJoin(
  sweeper: Kysely<Database>,
  after: FileToJoin | null,
  limit: number,
  completeForMs: number,
): Promise<FilesToJoin> {
  const { tenantId, fileId } = after ?? beginning;
  const { rows } = await sql<{ tenant_id: string; file_id: string; ready: boolean }>`
    with listed as materialized (
      select f.tenant_id, f.file_id, f.experiment_id, f.run_id, f.completed_at
      from event_file f
      where f.completed_bytes > f.joined_bytes and f.dropped_bytes = 0
        and (f.tenant_id, f.file_id) > (${tenantId}::uuid, ${fileId}::bigint)
      order by f.tenant_id, f.file_id limit ${limit}
    )
    select l.tenant_id, l.file_id,
      l.completed_at <= now() - make_interval(secs => ${completeForMs / 1000}) and p.file_id is null as ready
    from listed l left join lateral (
      select p.file_id from pending_segment p
      where p.tenant_id = l.tenant_id and p.experiment_id = l.experiment_id and p.run_id = l.run_id and p.file_id = l.file_id
      limit 1) p on true
    order by l.tenant_id, l.file_id`.execute(sweeper);
  const found = rows.map((row) => ({ tenantId: row.tenant_id, fileId: row.file_id }));
  return { files: found.filter((_, index) => rows[index]!.ready), next: found.length < limit ? null : found.at(-1)! };
}
