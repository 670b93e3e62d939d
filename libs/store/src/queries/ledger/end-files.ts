import { sql } from 'kysely';
import type { ExperimentId, FileId, FileProblemReason, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';
import { retryRunNow } from './quarantine-record.ts';
import { kept } from './write-run-failure.ts';

/** Sorts after all problems found in the file itself at the same offset. */
const endedNumber = 2_147_483_646;

/** Where and why reading of a file ends. */
export interface FileEnd {
  readonly fileId: FileId;
  /**
   * Where the file's last complete record ended when it was read. If reading has advanced since
   * then, nothing happens.
   */
  readonly parsedOffset: number;
  /** Where the unreadable range starts, and its number of bytes (0 if unknown). */
  readonly offset: number;
  readonly bytes: number;
  readonly reason: FileProblemReason;
  readonly detail: string;
}

/**
 * Ends files as damage would (data rule 8): everything before the position remains, and the next
 * attempt settles the pending bytes after it without reading them. No stored byte is removed. The
 * failure count is reset.
 */
export async function endFiles(
  scope: TenantScope,
  run: { experimentId: ExperimentId; runId: RunId },
  ends: readonly FileEnd[],
): Promise<void> {
  const { trx, tenantId } = scope;
  for (const end of ends) {
    // Settled bytes after the last complete record were waiting for the rest of that record.
    const { rows } = await sql`/* end-files-file-progress */ update file_progress p set ended = true,
        rejected_bytes = p.rejected_bytes + greatest(0, coalesce((select min(s."offset") from pending_segment s
          where s.tenant_id = ${tenantId} and s.experiment_id = ${run.experimentId} and s.run_id = ${run.runId} and s.file_id = p.file_id),
          f.durable_offset) - p.parsed_offset)
      from event_file f
      where p.tenant_id = ${tenantId} and p.file_id = ${end.fileId} and not p.ended and p.parsed_offset = ${end.parsedOffset}
        and f.tenant_id = ${tenantId} and f.file_id = p.file_id
      returning p.file_id`.execute(trx);
    if (rows.length === 0) continue;
    await trx
      .insertInto('file_problem')
      .values({
        tenant_id: tenantId,
        file_id: end.fileId,
        offset: String(end.offset),
        problem_no: endedNumber,
        run_id: run.runId,
        experiment_id: run.experimentId,
        reason: end.reason,
        detail: kept(end.detail),
        bytes: String(end.bytes),
        ends_file: true,
      })
      .modifyEnd(sql`/* end-files-file-problem */`)
      .execute();
  }
  await retryRunNow(scope, run.runId);
}
