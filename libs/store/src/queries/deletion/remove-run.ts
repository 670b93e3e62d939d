import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import { addStoredBytes } from '../ledger/add-stored-bytes.ts';
import { lockUploaderSequences } from '../uploader/read-uploader-sequences.ts';
import type { TenantScope } from '../../scope.ts';
import { removePendingSegments } from './remove-segments.ts';

/**
 * Removes a run's row and everything that belongs to the run. Returns null if another of its files
 * was announced in the meantime; the files must then be removed first. Nothing can be added to the
 * run afterward. Returns the contents of its tail.
 */
export async function removeRun(
  scope: TenantScope,
  experimentId: ExperimentId,
  runId: RunId,
): Promise<{ points: number; bytes: number } | null> {
  const { trx, tenantId } = scope;
  // New files and series of the run wait for this lock, and then find that the run is gone.
  await sql`/* remove-run */ select 1 from run where tenant_id = ${tenantId} and run_id = ${runId} for update`.execute(trx);
  const { rows } = await sql`
    /* remove-run-event-file */
    select 1 where exists (select 1 from event_file where tenant_id = ${tenantId} and run_id = ${runId})
      or exists (select 1 from series where tenant_id = ${tenantId} and run_id = ${runId})`.execute(trx);
  if (rows.length > 0) return null;
  await removePendingSegments(scope, experimentId, runId);
  const { rows: tails } = await sql<{ points: string; bytes: string }>`
    /* remove-run-run-tail */
    select coalesce(sum(points), 0) as points, coalesce(sum(octet_length(body)), 0) as bytes
    from run_tail where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  const sequenceBytes = await lockUploaderSequences(scope, runId);
  await sql`/* remove-run-run */ delete from run where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  await addStoredBytes(scope, experimentId, -sequenceBytes);
  return { points: Number(tails[0]!.points), bytes: Number(tails[0]!.bytes) };
}
