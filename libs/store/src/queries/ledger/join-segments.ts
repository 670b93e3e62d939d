import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { lostReason, readingFailsReason } from './write-run-work.ts';
import type { TenantScope, AnyScope } from '../../scope.ts';

/** True while bytes of the file are still pending: its segments must stay until then. */
export async function hasPendingSegments(
  { trx, tenantId }: AnyScope,
  file: { experimentId: ExperimentId; runId: RunId; fileId: FileId },
): Promise<boolean> {
  const { rows } = await sql`
    /* has-pending-segments */
    select 1 from pending_segment
    where tenant_id = ${tenantId} and experiment_id = ${file.experimentId} and run_id = ${file.runId} and file_id = ${file.fileId}
    limit 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Whether the file ended because the service could not read on: its bytes may still be read once
 * they are repaired (`reopenFiles`).
 */
export async function hasUnreadBytes({ trx, tenantId }: AnyScope, fileId: FileId): Promise<boolean> {
  const { rows } = await sql`/* has-unread-bytes */ select from file_problem
    where tenant_id = ${tenantId} and file_id = ${fileId} and ends_file and reason in (${lostReason}, ${readingFailsReason}) limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}

/**
 * Makes a joined object provide the first `bytes` of a locked file. The caller has read the object
 * back and verified its checksum. `sha256`: of the bytes as received; null if they are not kept
 * that way.
 */
export async function setOriginal(
  { trx, tenantId }: TenantScope,
  fileId: FileId,
  originalKey: string,
  bytes: number,
  sha256: Uint8Array | null,
): Promise<void> {
  await sql`/* set-original */
    update event_file set original_key = ${originalKey}, joined_bytes = ${bytes}, sha256 = coalesce(${sha256 && Buffer.from(sha256)}, sha256)
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}

/**
 * Removes the segments before `end`, which an original covers; returns the keys of their objects,
 * which the caller deletes after the commit.
 */
export async function deleteSegmentsBefore({ trx, tenantId }: TenantScope, fileId: FileId, end: number): Promise<string[]> {
  const { rows } = await sql<{ object_key: string | null }>`
    /* delete-segments-before */
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key`.execute(trx);
  return rows.flatMap((row) => (row.object_key === null ? [] : [row.object_key]));
}
