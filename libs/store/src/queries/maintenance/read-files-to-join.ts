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
 * Looks at the `limit` complete files that follow `after` in the order of their keys (null: from the beginning), over all tenants and without
 * locks (role plotline_sweeper). Gives those that have been complete for `completeForMs` and of which all is ingested. The others take places
 * of a look and no more: n of them hold up a file by n / `limit` looks.
 */
export async function readFilesToJoin(
  sweeper: Kysely<Database>,
  after: FileToJoin | null,
  limit: number,
  completeForMs: number,
): Promise<FilesToJoin> {
  const { tenantId, fileId } = after ?? beginning;
  // The order of the pending segments is that of their key: without it the planner may take a long list to be found something in at once, and read it all
  const { rows } = await sql<{ tenant_id: string; file_id: string; ready: boolean }>`
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
