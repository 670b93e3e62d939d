import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import { runWorker } from '#progress';
import type { TenantScope } from '../../scope.ts';

/** An experiment's ledger at one moment, and the batches that led to it. */
export interface LedgerState {
  readonly acknowledgedEpoch: number;
  /** How many segments are pending, by epoch. */
  readonly pending: readonly (readonly [epoch: number, segments: number])[];
  /** The last number that each run's worker has assigned. */
  readonly numbers: ReadonlyMap<string, number>;
}

/**
 * Reads the ledger and removes the batches that led to it from the channel. Does both in one
 * statement, and therefore at one moment: either both a batch and its effect are visible, or
 * neither is. Returns null if there is no such experiment.
 */
export async function takeLedgerState({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<LedgerState | null> {
  const { rows } = await sql<{ acknowledged_epoch: string; pending: [number, number][]; runs: [RunId, number][] }>`
    /* take-ledger-state */
    with taken as (delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId} returning 1)
    select a.acknowledged_epoch,
      (select coalesce(json_agg(json_build_array(p.epoch, p.segments)), '[]') from (
        select s.epoch, count(*) as segments from pending_segment s
        where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} group by s.epoch) p) as pending,
      (select coalesce(json_agg(json_build_array(w.run_id::text, w.progress_number)), '[]')
        from run r join run_work w on w.tenant_id = ${tenantId} and w.run_id = r.run_id
        where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and w.progress_number > 0) as runs
    from experiment_epoch a where a.tenant_id = ${tenantId} and a.experiment_id = ${experimentId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  return {
    acknowledgedEpoch: Number(row.acknowledged_epoch),
    pending: row.pending,
    numbers: new Map(row.runs.map(([runId, number]) => [runWorker(runId), number])),
  };
}
