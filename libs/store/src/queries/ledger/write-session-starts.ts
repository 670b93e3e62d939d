import { sql } from 'kysely';
import type { FileId, RunId, SessionStart } from '#model';
import type { IngestScope } from '../../scope.ts';

/** Stores a batch's SessionLog STARTs. */
export async function writeSessionStarts(
  { trx, tenantId }: IngestScope,
  runId: RunId,
  fileId: FileId,
  starts: readonly SessionStart[],
): Promise<void> {
  for (let at = 0; at < starts.length; at += 5_000) {
    const rows = starts.slice(at, at + 5_000).map((start) => ({
      tenant_id: tenantId,
      run_id: runId,
      file_id: fileId,
      offset: String(start.offset),
      step: start.step.toString(),
      wall_time: start.wallTime,
    }));
    await trx
      .insertInto('session_start')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .modifyEnd(sql`/* write-session-starts */`)
      .execute();
  }
}
