import { sql } from 'kysely';
import type { ExperimentId, RunId, RunName, RunStatus, View } from '#model';
import { runInView, sessionInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** A run with a readable event, and the run's state. */
export interface WatchedRun {
  readonly runId: RunId;
  readonly run: RunName;
  readonly status: RunStatus;
  readonly startTime: number | null;
  readonly lastTime: number | null;
  readonly archived: boolean;
}

/** The experiment's runs that the view shows, in the order of announcement. */
export async function listRunStates({ trx, tenantId }: TenantScope, experimentId: ExperimentId, view: View | null): Promise<WatchedRun[]> {
  const { rows } = await sql<Row>`
    /* list-run-states */
    select r.run_id, r.name, ${sessionInView(view).status} as status, s.start_time, s.last_time, r.archived_at is not null as archived
    from run r join run_state s on s.tenant_id = ${tenantId} and s.run_id = r.run_id
      left join run_facts f on f.tenant_id = ${tenantId} and f.run_id = r.run_id
    where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and r.deleted_at is null and s.events > 0 and ${runInView(tenantId, view)}
    order by r.created_at, r.run_id`.execute(trx);
  return rows.map((row) => ({
    runId: row.run_id,
    run: row.name,
    status: row.status,
    startTime: row.start_time,
    lastTime: row.last_time,
    archived: row.archived,
  }));
}

interface Row {
  run_id: RunId;
  name: RunName;
  status: RunStatus;
  start_time: number | null;
  last_time: number | null;
  archived: boolean;
}
