import { sql } from 'kysely';
import type { ExperimentId, RunFacts, RunId, RunRecord } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * Stores what a batch reports about its run: the facts of the earliest record and the status of the
 * latest record, regardless of the order in which files arrive. The caller has claimed the run, so
 * no other transaction writes them at the same time.
 */
export async function writeRunFacts(
  { trx, tenantId }: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  { facts, status }: RunRecord,
): Promise<void> {
  if (facts !== null) {
    const values = Object.entries(columns).map(([column, read]) => ({ column: sql.ref(column), value: read(facts) }));
    const names = sql.join(values.map(({ column }) => column));
    await sql`/* write-run-facts */ insert into run_facts as f (tenant_id, run_id, experiment_id, ${names})
      values (${tenantId}, ${runId}, ${experimentId}, ${sql.join(values.map(({ value }) => sql`${value}`))})
      on conflict (tenant_id, run_id) do update set ${sql.join(values.map(({ column }) => sql`${column} = excluded.${column}`))}
      where f.recorded_at is null or excluded.recorded_at < f.recorded_at`.execute(trx);
  }
  if (status !== null)
    await sql`/* write-run-facts-run-facts */ insert into run_facts as f (tenant_id, run_id, experiment_id, status, status_time)
      values (${tenantId}, ${runId}, ${experimentId}, ${status.status}, ${status.wallTime})
      on conflict (tenant_id, run_id) do update set status = excluded.status, status_time = excluded.status_time
      where f.status_time is null or excluded.status_time >= f.status_time`.execute(trx);
}

const columns: Readonly<Record<string, (facts: RunFacts) => unknown>> = {
  recorded_at: ({ wallTime }) => wallTime,
  display_name: ({ displayName }) => displayName,
  job_type: ({ jobType }) => jobType,
  labels: ({ labels }) => [...labels],
  command: ({ command }) => command,
  git_commit: ({ gitCommit }) => gitCommit,
  git_dirty: ({ gitDirty }) => gitDirty,
  git_branch: ({ gitBranch }) => gitBranch,
  git_remote: ({ gitRemote }) => gitRemote,
  folder: ({ folder }) => folder,
  person: ({ person }) => person,
  host: ({ host }) => host,
  heartbeat_seconds: ({ heartbeatSeconds }) => heartbeatSeconds,
};
