import { type RawBuilder, sql } from 'kysely';
import { seesTag, type TenantId, type View } from '#model';

/** If a run logs a heartbeat, it counts as crashed after this many seconds without one. */
const crashedAfter = 120;
/**
 * If a run logs nothing for this many seconds, it is stalled, or unknown if it logged no start. The
 * heartbeat does not count.
 */
const stalledAfter = 600;

/**
 * The state of run `r`. `finished` and `failed` are logged. A run with a heartbeat is `running`
 * while the heartbeat arrives, or `stalled` if nothing else arrives; afterward, it is `crashed`. A
 * run without a heartbeat is `running` while anything arrives; afterward, it is `stalled` if it
 * logged a start, otherwise `unknown`. Postgres' clock and the arrival of events determine the
 * state.
 */
export function stateSql(tenantId: TenantId, view: View | null, session: { readonly status: RawBuilder<unknown> }): RawBuilder<unknown> {
  if (!seesTag(view, '_hparams_/session_end_info')) return sql`'unknown'`;
  const now = sql`extract(epoch from now())::float8`;
  const silent = sql`extract(epoch from now() - s.ingested_at)`;
  const logged = sql`(select max(p.last_wall_time) from event_file e join file_progress p on p.tenant_id = ${tenantId} and p.file_id = e.file_id
    where e.tenant_id = ${tenantId} and e.run_id = r.run_id and e.name not like '%.system')`;
  return sql`case
    when ${session.status} = 'success' then 'finished'
    when ${session.status} = 'failure' then 'failed'
    when s.ingested_at is null then 'unknown'
    when f.heartbeat_seconds is not null and ${silent} > greatest(${sql.lit(crashedAfter)}, 6 * f.heartbeat_seconds) then 'crashed'
    when f.heartbeat_seconds is not null and s.last_time - coalesce(${logged}, s.start_time) > ${sql.lit(stalledAfter)} then 'stalled'
    when f.heartbeat_seconds is not null then 'running'
    when ${silent} <= ${sql.lit(stalledAfter)} and ${now} - s.last_time <= ${sql.lit(stalledAfter)} then 'running'
    when ${session.status} = 'running' or s.hparams is not null then 'stalled'
    else 'unknown' end`;
}

/**
 * A run's state, computed from its last time and the database clock, as apps/web shows it
 * (`runState`). `minutes` is how long a running run may be silent. If it is not a whole number of
 * at least 1, it is 10.
 */
export function silentStateSql(minutes: string): RawBuilder<unknown> {
  const allowed = 60 * (/^[1-9][0-9]{0,5}$/.test(minutes) ? Number(minutes) : 10);
  const silence = sql`(extract(epoch from now())::float8 - b.last_time)`;
  return sql`case
    when b.status = 'success' then 'finished'
    when b.status = 'failure' then 'failed'
    when b.state = 'crashed' then 'crashed'
    when b.status = 'running' or b.hparams <> '{}'::jsonb then case when ${silence} >= ${allowed}::float8 then 'stalled' else 'running' end
    when ${silence} < ${allowed}::float8 then 'running' else 'unknown' end`;
}
