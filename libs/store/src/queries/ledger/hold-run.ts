import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * The result of trying to hold a run. `waiting` means that another deletion holds the run or that
 * some of its bytes are still pending. `gone` means that there is no such run.
 */
export type HoldOutcome = 'held' | 'waiting' | 'gone';

/**
 * Holds a run for a point deletion: the run is not ingested until it is released. Succeeds once
 * everything acknowledged up to `throughEpoch` is ingested, even if it is pending again in a later
 * epoch (`reopenFiles`). If the segment of a pending range is gone, its epoch is unknown, so the
 * deletion waits for that range. The row remains locked until the transaction ends.
 */
export async function holdRun(
  { trx, tenantId }: IngestScope,
  run: { experimentId: ExperimentId; runId: RunId; deletionId: string; throughEpoch: number },
): Promise<HoldOutcome> {
  const { rows } = await sql<{ held_by: string | null }>`
    /* hold-run-run-work */
    select w.held_by from run_work w join run r on r.tenant_id = ${tenantId} and r.run_id = w.run_id
    where w.tenant_id = ${tenantId} and w.run_id = ${run.runId} and r.deleted_at is null
    for update of w`.execute(trx);
  const row = rows[0];
  if (!row) return 'gone';
  if (row.held_by === run.deletionId) return 'held';
  if (row.held_by !== null) return 'waiting';
  const { rows: unread } = await sql`
    /* hold-run-pending-segment */
    select 1 from pending_segment p
    where p.tenant_id = ${tenantId} and p.experiment_id = ${run.experimentId} and p.run_id = ${run.runId} and (
      p.epoch <= ${run.throughEpoch} or not exists (select from segment s
        where s.tenant_id = ${tenantId} and s.file_id = p.file_id and s."offset" = p."offset" and s.epoch > ${run.throughEpoch}))
    limit 1`.execute(trx);
  if (unread.length > 0) return 'waiting';
  await sql`/* hold-run-update-run-work */
    update run_work set held_by = ${run.deletionId} where tenant_id = ${tenantId} and run_id = ${run.runId}`.execute(trx);
  return 'held';
}
