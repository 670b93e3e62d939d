import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** True while a worker still has to read bytes of the file: then its segments must stay. */
export async function hasPendingSegments(
  trx: Kysely<Database>,
  tenantId: string,
  file: { experimentId: string; runId: string; fileId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pending_segment
    where tenant_id = ${tenantId} and experiment_id = ${file.experimentId} and run_id = ${file.runId} and file_id = ${file.fileId}
    limit 1`.execute(trx);
  return rows.length > 0;
}

/** Lets a locked file's first bytes come from a joined object. The caller has read that object back and its checksum held. */
export async function setOriginal(
  trx: Kysely<Database>,
  tenantId: string,
  fileId: string,
  originalKey: string,
  sha256: Uint8Array,
): Promise<void> {
  await sql`update event_file set original_key = ${originalKey}, sha256 = ${Buffer.from(sha256)}
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}

/** Removes the segments before `end`, which an original covers; the keys of their objects, for the caller to delete after the commit. */
export async function deleteSegmentsBefore(trx: Kysely<Database>, tenantId: string, fileId: string, end: number): Promise<string[]> {
  const { rows } = await sql<{ object_key: string | null }>`
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key`.execute(trx);
  return rows.flatMap((row) => (row.object_key === null ? [] : [row.object_key]));
}

/** Complete files of the run (of all runs of the tenant: null) that are settled and not joined yet, or joined only in part; at most `limit`. */
export async function readJoinableFiles(trx: Kysely<Database>, tenantId: string, runId: string | null, limit: number): Promise<string[]> {
  const { rows } = await sql<{ file_id: string }>`
    select f.file_id from event_file f
    where f.tenant_id = ${tenantId} and (${runId}::bigint is null or f.run_id = ${runId}::bigint) and f.completed_bytes = f.durable_offset
      and exists (select 1 from segment s where s.tenant_id = ${tenantId} and s.file_id = f.file_id)
      and not exists (
        select 1 from pending_segment p
        where p.tenant_id = ${tenantId} and p.experiment_id = f.experiment_id and p.run_id = f.run_id and p.file_id = f.file_id)
    order by f.file_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.file_id);
}
