import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { lostReason, readingFailsReason } from './write-run-work.ts';

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

/** Whether the file ended where the service could not read on: its bytes may be read yet, when they were repaired (`reopenFiles`). */
export async function hasUnreadBytes(trx: Kysely<Database>, tenantId: string, fileId: string): Promise<boolean> {
  const { rows } = await sql`select from file_problem
    where tenant_id = ${tenantId} and file_id = ${fileId} and ends_file and reason in (${lostReason}, ${readingFailsReason}) limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}

/**
 * Lets a locked file's first `bytes` come from a joined object. The caller has read that object back and its checksum held. `sha256`: of the bytes as they were
 * received; null: they are not kept like that.
 */
export async function setOriginal(
  trx: Kysely<Database>,
  tenantId: string,
  fileId: string,
  originalKey: string,
  bytes: number,
  sha256: Uint8Array | null,
): Promise<void> {
  await sql`update event_file set original_key = ${originalKey}, joined_bytes = ${bytes}, sha256 = coalesce(${sha256 && Buffer.from(sha256)}, sha256)
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}

/** Removes the segments before `end`, which an original covers; the keys of their objects, for the caller to delete after the commit. */
export async function deleteSegmentsBefore(trx: Kysely<Database>, tenantId: string, fileId: string, end: number): Promise<string[]> {
  const { rows } = await sql<{ object_key: string | null }>`
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key`.execute(trx);
  return rows.flatMap((row) => (row.object_key === null ? [] : [row.object_key]));
}
