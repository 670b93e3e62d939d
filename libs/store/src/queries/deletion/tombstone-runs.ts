import { sql } from 'kysely';
import type { ExperimentId, RunId, RunName } from '#model';
import { dropPendingSegments } from '../progress/drop-pending.ts';
import { nameHash } from '../points/run-series.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * An experiment's runs with these names (null means all runs), excluding deleted runs. Names
 * without a run are omitted.
 */
export async function findRuns(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  names: readonly string[] | null,
): Promise<{ runId: RunId; name: RunName }[]> {
  const { rows } = await sql<{ run_id: RunId; name: RunName }>`
    /* find-runs */
    select run_id, name from run
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and deleted_at is null
      and (${names === null} or name_hash = any(${(names ?? []).map(nameHash)}::bytea[]))
    order by run_id`.execute(trx);
  return rows.map((row) => ({ runId: row.run_id, name: row.name }));
}

/**
 * Sets the tombstones of these runs: from now on, nobody can see the runs, and workers skip them.
 * New runs can use their names, but not with the files that the deleted runs had. Pending work is
 * removed from the ledger.
 */
export async function tombstoneRuns(scope: TenantScope, experimentId: ExperimentId, runIds: readonly RunId[]): Promise<void> {
  const { trx, tenantId } = scope;
  const ids = [...runIds];
  await sql`/* tombstone-runs-deleted-run */ insert into deleted_run (tenant_id, experiment_id, name_hash, file_hashes, deleted_at)
    select ${tenantId}::uuid, r.experiment_id, r.name_hash, array(
      select distinct f.name_hash from event_file f where f.tenant_id = ${tenantId} and f.run_id = r.run_id), now()
    from run r where r.tenant_id = ${tenantId} and r.run_id = any(${ids}::bigint[]) and r.deleted_at is null
    on conflict (tenant_id, experiment_id, name_hash) do update
      set deleted_at = excluded.deleted_at, file_hashes = array(select unnest(deleted_run.file_hashes) union select unnest(excluded.file_hashes))`.execute(
    trx,
  );
  await sql`/* tombstone-runs */ update run set deleted_at = now(), name_hash = sha256(name_hash || int8send(run_id))
    where tenant_id = ${tenantId} and run_id = any(${ids}::bigint[]) and deleted_at is null`.execute(trx);
  await dropPendingSegments(scope, experimentId, ids);
}
