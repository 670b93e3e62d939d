import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import { runWorker, settledChanges } from '#progress';
import type { IngestScope } from '../../scope.ts';

/**
 * Records how many pending segments of each epoch the run's worker has settled, as one batch with
 * the run's next number. The run's row in `run_work` is locked, so a run's batches commit in the
 * order of their numbers. Writes no batch if nothing was settled.
 */
export async function tellSettled(
  { trx, tenantId }: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  settled: ReadonlyMap<number, number>,
): Promise<void> {
  if (settled.size === 0) return;
  await sql`/* prepared: tell-settled */ with numbered as (
      update run_work set progress_number = progress_number + 1
      where tenant_id = ${tenantId} and run_id = ${runId} returning progress_number)
    insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
    select ${tenantId}::uuid, ${experimentId}::text, ${runWorker(runId)}::text, progress_number, ${JSON.stringify(settledChanges(settled))}::json
    from numbered`.execute(trx);
}
