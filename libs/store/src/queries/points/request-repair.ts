import { sql } from 'kysely';
import type { ExperimentId, RunName } from '#model';
import { nameHash } from './run-series.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Requests that the data rules be reapplied to all stored points of the runs with these names or,
 * if null, of all the experiment's runs. A run that is already waiting is not queued twice. Returns
 * the number of runs found.
 */
export async function requestRepair(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  runs: readonly RunName[] | null,
): Promise<number> {
  const { rows } = await sql<{ runs: string }>`/* request-repair */ with asked as (
      select w.run_id, w.remark from run_work w
      join run r on r.tenant_id = ${tenantId} and r.run_id = w.run_id and r.deleted_at is null
      where w.tenant_id = ${tenantId} and w.experiment_id = ${experimentId}
        and (${runs === null} or r.name_hash = any(${(runs ?? []).map(nameHash)}::bytea[]))
    ), marked as (
      update run_work w set remark = true, retry_at = least(w.retry_at, now())
      from asked a where w.tenant_id = ${tenantId} and w.run_id = a.run_id and not a.remark
    )
    select count(*) as runs from asked`.execute(trx);
  return Number(rows[0]!.runs);
}

/** How many runs of the experiment wait for the data rules to be reapplied. */
export async function countRepairs({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<number> {
  const { rows } = await sql<{ runs: string }>`/* count-repairs */ select count(*) as runs from run_work w
    join run r on r.tenant_id = ${tenantId} and r.run_id = w.run_id and r.deleted_at is null
    where w.tenant_id = ${tenantId} and w.experiment_id = ${experimentId} and w.remark`.execute(trx);
  return Number(rows[0]!.runs);
}
