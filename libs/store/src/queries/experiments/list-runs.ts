import { type RawBuilder, sql } from 'kysely';
import type { ExperimentId, RunId, RunName, RunState, RunStatus, TenantId, View } from '#model';
import {
  afterSql,
  type FieldRef,
  type Filter,
  filterSql,
  type ListFields,
  type OrderKey,
  orderList,
  orderSql,
  runFiltered,
} from './filter-sql.ts';
import { runFields } from './run-fields.ts';
import { stateSql } from './run-state-sql.ts';
import type { LiveStats } from './series-value-sql.ts';
import { type PointValues, TagValues } from './tag-values.ts';
import { factsInView, runInView, sessionInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** A run that has a readable event (data rule 9). */
export interface RunSummary {
  readonly runId: RunId;
  readonly run: RunName;
  /** Readable events so far. */
  readonly events: number;
  /**
   * Smallest positive wall time of its events, in seconds since the epoch. Null if there is none
   * (data rule 4).
   */
  readonly startTime: number | null;
  readonly lastTime: number | null;
  /** success, failure, running or unknown, as reported by its hparams session. */
  readonly status: RunStatus;
  readonly group: string | null;
  readonly hparams: Readonly<Record<string, string | number | boolean>> | null;
  readonly displayName: string | null;
  readonly jobType: string | null;
  /** Null if not recorded or not in the view. */
  readonly source: RunSource | null;
  readonly person: string | null;
  readonly host: string | null;
  /** See `stateSql`. */
  readonly state: RunState;
  /** When the run's events were last ingested, in seconds since the epoch. Null if unknown. */
  readonly heartbeat: number | null;
  readonly labels: readonly string[];
  readonly notes: string;
  readonly archived: boolean;
  /** The requested values, in the order of the request. */
  readonly values: readonly RunValue[];
}

/** The process and the code, as recorded by a run. */
export interface RunSource {
  readonly command: string | null;
  readonly gitCommit: string | null;
  readonly gitDirty: boolean | null;
  readonly gitBranch: string | null;
  readonly gitRemote: string | null;
  readonly folder: string | null;
}

/** The value of a field. Numbers may be NaN or infinite. */
export type RunValue = string | number | boolean | null;

/** Selects an experiment's runs, and a page of the list. */
export interface RunListRequest {
  readonly experimentId: ExperimentId;
  readonly filter: Filter | null;
  /** The last key must distinguish any two runs. */
  readonly order: readonly OrderKey[];
  readonly limit: number;
  /** The last run (id) of the previous page. */
  readonly after: RunId | null;
  readonly live: readonly LiveStats[];
  /** The values of the `pointFields` that the filter and the order use. */
  readonly points?: readonly PointValues[];
  /**
   * Values to add to each run. Each is a sort key of the kind number, text or json, and is not one
   * of the `pointFields`.
   */
  readonly values?: readonly FieldRef[];
  /** Whether to count the runs that match the filter. */
  readonly counted?: boolean;
  /**
   * The caller's view. Null means everything. Filters and orders cannot query hidden data either.
   */
  readonly view: View | null;
}

/** The experiment's runs that have a readable event and that the caller may see. */
function seenRuns(tenantId: TenantId, { experimentId, view }: RunListRequest): RawBuilder<unknown> {
  const session = sessionInView(view);
  const sees = factsInView(view);
  const noText = sql`null::text`;
  const plain = (column: RawBuilder<unknown>, other: RawBuilder<unknown> = noText) => (sees.plain ? column : other);
  const naming = (column: RawBuilder<unknown>, other: RawBuilder<unknown> = noText) => (sees.naming ? column : other);
  return sql`
        select r.run_id, r.name, s.events, s.start_time, s.last_time, ${session.status} as status, ${session.group} as group_name, ${session.hparams} as hparams,
          ${plain(sql`coalesce(r.display_name, f.display_name)`, sql`r.display_name`)} as display_name, ${plain(sql`f.job_type`)} as job_type,
          ${naming(sql`f.command`)} as command, ${naming(sql`f.git_commit`)} as git_commit, ${naming(sql`f.git_dirty`, sql`null::boolean`)} as git_dirty,
          ${naming(sql`f.git_branch`)} as git_branch, ${naming(sql`f.git_remote`)} as git_remote, ${naming(sql`f.folder`)} as folder,
          ${naming(sql`f.person`)} as person, ${naming(sql`f.host`)} as host,
          ${stateSql(tenantId, view, session)} as state, extract(epoch from s.ingested_at)::float8 as heartbeat,
          case when r.labels_set or r.labels <> '{}' then r.labels else ${plain(sql`coalesce(f.labels, '{}')`, sql`'{}'::text[]`)} end as labels,
          r.notes, r.archived_at is not null as archived
        from run r join run_state s on s.tenant_id = ${tenantId} and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = ${tenantId} and f.run_id = r.run_id
        where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and r.deleted_at is null and s.events > 0 and ${runInView(tenantId, view)}`;
}

/** A page in a list of runs. */
export interface RunPage {
  readonly runs: RunSummary[];
  /** How many runs match the filter, over all pages. Undefined if not counted. */
  readonly total: number | undefined;
}

/** A page of an experiment's runs. Null if `after` is not one of them. */
export async function listRunPage({ trx, tenantId }: TenantScope, request: RunListRequest): Promise<RunPage | null> {
  const fields = runFields(tenantId, request.live, request.view, undefined, request.points);
  const inView = runInView(tenantId, request.view);
  const values = request.values ?? [];
  const isCounted = request.counted === true && request.after === null;
  if (request.after !== null) {
    const { rows } = await sql`/* list-runs */
        select from run r where r.tenant_id = ${tenantId} and r.experiment_id = ${request.experimentId} and r.run_id = ${request.after} and ${inView}`.execute(
      trx,
    );
    if (rows.length === 0) return null;
  }
  const keysOf = (from: ListFields) => sql.join(request.order.map((key, index) => sql`${orderSql(key, from)} as ${sql.ref(`k${index}`)}`));
  const tags = new TagValues(tenantId, request.experimentId);
  const ofAll = runFields(tenantId, request.live, request.view, tags, request.points);
  const keys = keysOf(ofAll);
  const where = request.filter === null ? sql`true` : filterSql(request.filter, ofAll);
  const runs = sql`(${seenRuns(tenantId, request)}
      ) b`;
  const after = sql`join (select ${keysOf(fields)} from ${runs} where b.run_id = ${request.after}) a on ${afterSql(request.order)}`;
  // Only keys are sorted and counted, and each is computed once. The other columns are read only
  // for the page's runs
  const query = sql<Row>`
    /* list-runs-keyed */
    with ${tags.tables()}keyed as materialized (
      select b.run_id, ${keys} from ${runs}${tags.joins()}
      where ${where}
    ), page as (
      select b.* from keyed b ${request.after === null ? sql`` : after}
      order by ${orderList(request.order)}
      limit ${request.limit}
    )
    select b.run_id, b.name, b.events, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived,
      b.display_name, b.job_type, b.command, b.git_commit, b.git_dirty, b.git_branch, b.git_remote, b.folder, b.person, b.host, b.state, b.heartbeat${valueList(values, fields)}${isCounted ? sql`, (select count(*) from keyed) as total` : sql``}
    from (
      select d.*, ${sql.join(request.order.map((_, index) => sql.ref(`p.k${index}`)))} from page p join (${seenRuns(tenantId, request)}
      ) d on d.run_id = p.run_id
    ) b
    order by ${orderList(request.order)}`;
  const { rows } = await runFiltered(trx, request.filter, () => query.execute(trx));
  const found = rows.map((row) => ({
    runId: row.run_id,
    run: row.name,
    events: Number(row.events),
    startTime: row.start_time,
    lastTime: row.last_time,
    status: row.status,
    group: row.group_name,
    hparams: row.hparams,
    displayName: row.display_name,
    jobType: row.job_type,
    source: sourceOf(row),
    person: row.person,
    host: row.host,
    state: row.state,
    heartbeat: row.heartbeat,
    labels: row.labels,
    notes: row.notes,
    archived: row.archived,
    values: values.map((_, index) => row[`v${index}`] ?? null),
  }));
  return { runs: found, total: isCounted ? Number(rows[0]?.total ?? 0) : undefined };
}

/** Like {@link listRunPage}, but returns only the runs. */
export async function listRuns(scope: TenantScope, request: RunListRequest): Promise<RunSummary[] | null> {
  return (await listRunPage(scope, request))?.runs ?? null;
}

/** Columns v0, v1 …, one for each value. */
function valueList(values: readonly FieldRef[], fields: ListFields): RawBuilder<unknown> {
  return sql.join(
    values.map(({ field, argument, second }, index) => sql`, ${fields[field]!.value(argument, second)} as ${sql.ref(`v${index}`)}`),
    sql``,
  );
}

interface Row {
  run_id: RunId;
  name: RunName;
  events: string;
  start_time: number | null;
  last_time: number | null;
  status: RunStatus;
  group_name: string | null;
  hparams: Record<string, string | number | boolean> | null;
  labels: string[];
  notes: string;
  archived: boolean;
  display_name: string | null;
  job_type: string | null;
  command: string | null;
  git_commit: string | null;
  git_dirty: boolean | null;
  git_branch: string | null;
  git_remote: string | null;
  folder: string | null;
  person: string | null;
  host: string | null;
  state: RunState;
  heartbeat: number | null;
  total?: string;
  [value: `v${number}`]: RunValue;
}

function sourceOf(row: Row): RunSource | null {
  const source = {
    command: row.command,
    gitCommit: row.git_commit,
    gitDirty: row.git_dirty,
    gitBranch: row.git_branch,
    gitRemote: row.git_remote,
    folder: row.folder,
  };
  return Object.values(source).every((value) => value === null) ? null : source;
}
