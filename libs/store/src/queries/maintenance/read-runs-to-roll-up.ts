import { sql } from 'kysely';
import type { ExperimentId, RunId, TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';
import type { PendingRun } from './read-pending-runs.ts';

/**
 * At most `limit` runs with series to roll up that a worker may claim now, most recently tried
 * last. Reads all tenants without locks (role plotline_sweeper).
 */
export async function readRunsToRollUp(sweeper: SweeperHandle, limit: number): Promise<PendingRun[]> {
  const { rows } = await sql<{ tenant_id: TenantId; experiment_id: ExperimentId; run_id: RunId }>`
    /* read-runs-to-roll-up */
    select w.tenant_id, w.experiment_id, w.run_id
    from (select distinct d.tenant_id, d.run_id from series_to_roll_up d) d
    join run_work w on w.tenant_id = d.tenant_id and w.run_id = d.run_id
    where w.retry_at <= now() and w.held_by is null
    order by w.retry_at, w.run_id
    limit ${limit}`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id, runId: row.run_id }));
}
