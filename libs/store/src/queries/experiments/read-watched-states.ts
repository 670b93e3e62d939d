import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Returns a string for each of these experiments that exists. The string changes when the
 * experiment's frontier (`readFrontier`) or the progress of its deletions changes, and may also
 * change at other times. One statement covers all of a tenant's watched experiments, so that only
 * changed experiments are read.
 */
export async function readWatchedStates({ trx, tenantId }: TenantScope, experimentIds: readonly string[]): Promise<Map<string, string>> {
  // A row's version changes with each update. Rows that are inserted and deleted are summed.
  const { rows } = await sql<{ experiment_id: ExperimentId; state: string }>`
    /* read-watched-states */
    select a.experiment_id, concat_ws(' ', a.xmin, e.xmin, v.xmin, p.epoch, p.bytes, d.asked, d.finished, d.points) as state
    from experiment_epoch a
    join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = a.experiment_id and e.deleted_at is null
    left join progress_view v on v.tenant_id = ${tenantId} and v.experiment_id = a.experiment_id,
    lateral (
      select coalesce(min(s.epoch), 0) as epoch, coalesce(sum(s.length), 0) as bytes
      from pending_segment s where s.tenant_id = ${tenantId} and s.experiment_id = a.experiment_id
    ) p,
    lateral (
      select count(*) as asked, count(x.finished_at) as finished, coalesce(sum(x.points), 0) as points
      from deletion x where x.tenant_id = ${tenantId} and x.experiment_id = a.experiment_id
    ) d
    where a.tenant_id = ${tenantId} and a.experiment_id = any(${[...experimentIds]}::text[])`.execute(trx);
  return new Map(rows.map(({ experiment_id: id, state }) => [id, state]));
}
