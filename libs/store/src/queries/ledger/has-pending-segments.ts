import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { lostReason, readingFailsReason } from './quarantine-record.ts';
import type { AnyScope } from '../../scope.ts';

/** Whether bytes of the file are still pending. If so, its segments must be kept. */
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
 * Whether the file ended because the service could not continue reading. If so, its bytes may still
 * be read once they are repaired (`reopenFiles`).
 */
export async function hasUnreadBytes({ trx, tenantId }: AnyScope, fileId: FileId): Promise<boolean> {
  const { rows } = await sql`/* has-unread-bytes */ select from file_problem
    where tenant_id = ${tenantId} and file_id = ${fileId} and ends_file and reason in (${lostReason}, ${readingFailsReason}) limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}
