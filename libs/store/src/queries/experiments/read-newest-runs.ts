import { sql } from 'kysely';
import type { ExperimentId, RunId, RunName, RunState, SeriesId, TagName } from '#model';
import { stateSql } from './run-state-sql.ts';
import { nameHashes, sessionInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** An experiment's newest run, and some of the run's scalar series. */
export interface NewestRun {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly run: RunName;
  readonly displayName: string | null;
  /** The state, as in lists of runs. */
  readonly state: RunState;
  readonly series: readonly { readonly seriesId: SeriesId; readonly tag: TagName }[];
}

/** Maximum number of series to read per run, in addition to those with requested tags. */
const maxSeries = 64;

interface Row {
  experiment_id: ExperimentId;
  run_id: RunId;
  name: RunName;
  display_name: string | null;
  state: RunState;
  series_ids: SeriesId[] | null;
  tags: TagName[] | null;
}

/**
 * For each experiment, returns the run that started last (excluding archived runs), with its series
 * for these tags and some of its other series. The cost depends on the number of experiments, not
 * on how many runs and series they have.
 */
export async function readNewestRuns(
  { trx, tenantId }: TenantScope,
  experimentIds: readonly ExperimentId[],
  tags: readonly TagName[],
): Promise<NewestRun[]> {
  const scalar = sql`s.tenant_id = ${tenantId} and s.run_id = n.run_id and s.data_class = 'scalar' and s.listed and not s.twin and s.writer = 0`;
  const { rows } = await sql<Row>`/* read-newest-runs */
    select w.experiment_id, n.run_id, n.name, n.display_name, n.state, c.series_ids, c.tags
    from unnest(${[...experimentIds]}::text[]) as w (experiment_id),
    lateral (
      select r.run_id, r.name, coalesce(r.display_name, f.display_name) as display_name, ${stateSql(tenantId, null, sessionInView(null))} as state
      from run_state s
        join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
        left join run_facts f on f.tenant_id = ${tenantId} and f.run_id = s.run_id
      where s.tenant_id = ${tenantId} and s.experiment_id = w.experiment_id and s.events > 0 and r.deleted_at is null and r.archived_at is null
      order by s.start_time desc nulls last, s.run_id desc
      limit 1
    ) n,
    lateral (
      select array_agg(k.series_id order by k.series_id) as series_ids, array_agg(k.tag order by k.series_id) as tags
      from (
        select s.series_id, s.tag from series s where ${scalar} and s.tag_hash = any(${nameHashes(tags)}::bytea[])
        union
        (select s.series_id, s.tag from series s where ${scalar} order by s.tag_hash limit ${maxSeries})
      ) k
    ) c`.execute(trx);
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    runId: row.run_id,
    run: row.name,
    displayName: row.display_name,
    state: row.state,
    series: (row.series_ids ?? []).map((seriesId, i) => ({ seriesId, tag: row.tags![i]! })),
  }));
}
