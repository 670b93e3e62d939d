import { type RawBuilder, sql } from 'kysely';
import { type ExperimentId, type RunId, type RunState, type RunStatus, seesTag, type TenantId, type View } from '#model';
import {
  afterSql,
  type Filter,
  filterSql,
  type ListField,
  type ListFields,
  type OrderKey,
  orderList,
  orderSql,
  runFiltered,
} from './filter-sql.ts';
import { nameHash } from '../points/run-series.ts';
import { factsInView, runInView, sessionInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** A run with a readable event (data rule 9). */
export interface RunSummary {
  readonly runId: RunId;
  readonly run: string;
  /** Readable events so far. */
  readonly events: number;
  /**
   * Smallest positive wall time of its events, seconds since the epoch; null if there is none (data
   * rule 4).
   */
  readonly startTime: number | null;
  readonly lastTime: number | null;
  /** success, failure, running or unknown, from its hparams session. */
  readonly status: RunStatus;
  readonly group: string | null;
  readonly hparams: Readonly<Record<string, string | number | boolean>> | null;
  readonly displayName: string | null;
  readonly jobType: string | null;
  /** Null: not recorded, or not in the view. */
  readonly source: RunSource | null;
  readonly person: string | null;
  readonly host: string | null;
  /** See `stateSql`. */
  readonly state: RunState;
  /** When events of the run were last ingested, in seconds since the epoch. Null: unknown. */
  readonly heartbeat: number | null;
  readonly labels: readonly string[];
  readonly notes: string;
  readonly archived: boolean;
  /** Those of the request, in its order. */
  readonly values: readonly RunValue[];
}

/** The process and the code that a run recorded. */
export interface RunSource {
  readonly command: string | null;
  readonly gitCommit: string | null;
  readonly gitDirty: boolean | null;
  readonly gitBranch: string | null;
  readonly gitRemote: string | null;
  readonly folder: string | null;
}

/** The value of a field: numbers may be NaN and infinities. */
export type RunValue = string | number | boolean | null;

/** A field with its arguments. */
export type FieldRef = Pick<OrderKey, 'field' | 'argument' | 'second'>;

/** A field of points at a step, and its values: those that #series read. */
export interface PointValues {
  readonly ref: FieldRef;
  readonly runIds: readonly RunId[];
  /** In the order of `runIds`. */
  readonly values: readonly number[];
}

/** The fields of points at a step; the second argument of each. */
export const pointFields = {
  value_at: 'step',
  step_at: 'step',
  value_at_min: 'text',
  step_at_min: 'text',
  value_at_max: 'text',
  step_at_max: 'text',
} as const;

/** The summary of a scalar series of a live run, when it is newer than `series_stats`. */
export interface LiveStats {
  readonly runId: RunId;
  readonly tag: string;
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly lastStep: number | null;
  /** The steps of `min` and `max` if these are newer than `series_stats`, else null. */
  readonly minStep: number | null;
  readonly maxStep: number | null;
}

/** Selects runs of an experiment, and a page of the list. */
export interface RunListRequest {
  readonly experimentId: ExperimentId;
  readonly filter: Filter | null;
  /** The last key must distinguish any two runs. */
  readonly order: readonly OrderKey[];
  readonly limit: number;
  /** The last run (id) of the previous page. */
  readonly after: string | null;
  readonly live: readonly LiveStats[];
  /** The values of the fields of {@link pointFields} in the filter and the order. */
  readonly points?: readonly PointValues[];
  /**
   * What to add to each run: sort keys, of kind number, text or json, but none of {@link
   * pointFields}.
   */
  readonly values?: readonly FieldRef[];
  /** Whether to count the runs that the filter selects. */
  readonly counted?: boolean;
  /**
   * What the caller may see; null: all. Filters and orders cannot query what it excludes either.
   */
  readonly view: View | null;
}

type Summary = 'last' | 'min' | 'max' | 'lastStep' | 'minStep' | 'maxStep';

/**
 * The fields by which runs can be filtered and ordered. `tags`: reads the values of tags for all
 * runs at once; absent: for each run. `points`: a field of a point at a step has no value without
 * its entry there.
 */
export function runFields(
  tenantId: TenantId,
  live: readonly LiveStats[],
  view: View | null,
  tags?: TagValues,
  points: readonly PointValues[] = [],
): ListFields {
  const plain = (kind: 'text' | 'number', column: string) => ({ kind, takesArgument: false, value: () => sql.ref(column) });
  const ofSeries = (summary: Summary) => ({
    kind: 'number' as const,
    takesArgument: true,
    value: (tag: string | null) => (seesTag(view, tag ?? '') ? seriesValue(tenantId, summary, tag ?? '', live, tags) : sql`null::float8`),
  });
  return {
    name: plain('text', 'b.name'),
    run: plain('text', 'b.name'),
    status: plain('text', 'b.status'),
    group: plain('text', 'b.group_name'),
    display_name: plain('text', 'b.display_name'),
    job_type: plain('text', 'b.job_type'),
    heartbeat: plain('number', 'b.heartbeat'),
    command: plain('text', 'b.command'),
    git_commit: plain('text', 'b.git_commit'),
    git_dirty: { kind: 'text', takesArgument: false, value: () => sql`b.git_dirty::text` },
    git_branch: plain('text', 'b.git_branch'),
    person: plain('text', 'b.person'),
    host: plain('text', 'b.host'),
    label: { kind: 'labels', takesArgument: false, value: () => sql`b.labels` },
    archived: { kind: 'text', takesArgument: false, value: () => sql`b.archived::text` },
    start_time: plain('number', 'b.start_time'),
    last_time: plain('number', 'b.last_time'),
    duration: { kind: 'number', takesArgument: false, value: () => sql`(b.last_time - b.start_time)` },
    state: {
      kind: 'text',
      takesArgument: true,
      argumentIsOptional: true,
      value: (minutes) => (minutes === null ? sql`b.state` : silentStateSql(minutes)),
    },
    config: { kind: 'json', takesArgument: true, value: (name) => sql`b.hparams -> ${name ?? ''}::text` },
    hparam: { kind: 'json', takesArgument: true, value: (name) => sql`b.hparams -> ${name ?? ''}::text` },
    last: ofSeries('last'),
    min: ofSeries('min'),
    max: ofSeries('max'),
    last_step: ofSeries('lastStep'),
    min_step: ofSeries('minStep'),
    max_step: ofSeries('maxStep'),
    ...Object.fromEntries(
      Object.entries(pointFields).map(([field, second]): [string, ListField] => [
        field,
        {
          kind: 'number',
          takesArgument: true,
          second,
          value: (argument, other) => pointValue({ field, argument, second: other }, points, tags),
        },
      ]),
    ),
  };
}

/** Points are compressed in chunks, so #series decodes them, and Postgres gets the numbers. */
function pointValue(ref: FieldRef, points: readonly PointValues[], tags: TagValues | undefined): RawBuilder<unknown> {
  const found = points.find((one) => sameField(one.ref, ref));
  if (!found) return sql`null::float8`;
  return tags?.given(found) ?? sql`(select l.value from ${numbersByRun(found)} as l(run_id, value) where l.run_id = b.run_id)`;
}

/** Whether two fields have the same name and arguments. */
export function sameField(a: FieldRef, b: FieldRef): boolean {
  return a.field === b.field && a.argument === b.argument && a.second === b.second;
}

function numbersByRun({ runIds, values }: Pick<PointValues, 'runIds' | 'values'>): RawBuilder<unknown> {
  return sql`unnest(${[...runIds]}::int8[], ${[...values]}::float8[])`;
}

/**
 * The state of a run by its last time and the clock of the database, as apps/web shows it
 * (`runState`). `minutes`:
 * how long a running run may be silent; 10 if it is not a whole number of at least 1.
 */
function silentStateSql(minutes: string): RawBuilder<unknown> {
  const allowed = 60 * (/^[1-9][0-9]{0,5}$/.test(minutes) ? Number(minutes) : 10);
  const silence = sql`(extract(epoch from now())::float8 - b.last_time)`;
  return sql`case
    when b.status = 'success' then 'finished'
    when b.status = 'failure' then 'failed'
    when b.state = 'crashed' then 'crashed'
    when b.status = 'running' or b.hparams <> '{}'::jsonb then case when ${silence} >= ${allowed}::float8 then 'stalled' else 'running' end
    when ${silence} < ${allowed}::float8 then 'running' else 'unknown' end`;
}

/** The runs of the experiment with a readable event that the caller may see. */
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

/** A page of a list of runs. */
export interface RunPage {
  readonly runs: RunSummary[];
  /** How many runs the filter selects, over all pages; undefined: not counted. */
  readonly total: number | undefined;
}

/** A page of the runs of an experiment; null if `after` is not one of them. */
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
  // Only keys are sorted and counted, and computed once each; the rest is read for the runs of the page
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

/** The runs of such a page. */
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
  name: string;
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

/** A run that logs a heartbeat is crashed after this long without any, in seconds. */
const crashedAfter = 120;
/**
 * How long a run may log nothing before it is stalled, or without a start unknown, in seconds. The
 * heartbeat does not count.
 */
const stalledAfter = 600;

/**
 * The state of run `r`: `finished` and `failed` are logged. A run that records a heartbeat is
 * `running` or `stalled` (the heartbeat continues, and nothing else) while it arrives, else
 * `crashed`. Another run is `running` while anything arrives, later `stalled` if it logged a start,
 * else `unknown`. Judged by the clock of Postgres and by when events arrive.
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

function seriesValue(
  tenantId: TenantId,
  summary: Summary,
  tag: string,
  live: readonly LiveStats[],
  tags: TagValues | undefined,
): RawBuilder<unknown> {
  const stored =
    summary === 'minStep' || summary === 'maxStep'
      ? storedStep(tenantId, summary, tag)
      : (tags?.valueOf(summary, tag) ?? storedSummary(tenantId, summary, tag));
  const newer = live.filter((entry) => entry.tag === tag && entry[summary] !== null);
  if (newer.length === 0) return stored;
  const ids = newer.map((entry) => entry.runId);
  const values = newer.map((entry) => entry[summary]);
  return sql`coalesce((select l.value from unnest(${ids}::int8[], ${values}::float8[]) as l(run_id, value) where l.run_id = b.run_id), ${stored})`;
}

/** The step of the smallest or largest value of all writers; of equal values, the earliest. */
function storedStep(tenantId: TenantId, summary: 'minStep' | 'maxStep', tag: string): RawBuilder<unknown> {
  const [step, value, direction] = summary === 'minStep' ? ['min_step', 'min_value', 'asc'] : ['max_step', 'max_value', 'desc'];
  return sql`(
    select c.${sql.raw(step)}::float8 from series s join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = s.series_id and not c.superseded
    where s.tenant_id = ${tenantId} and s.run_id = b.run_id and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar'
      and c.${sql.raw(value)} is not null
    order by c.${sql.raw(value)} ${sql.raw(direction)}, c.${sql.raw(step)} limit 1)`;
}

/** At most this many are read for all runs at once: each is another join to plan. */
const mostTables = 4;

/**
 * The values of tags for all runs of an experiment, as tables of a `with` clause. Postgres then
 * chooses between lookups and scans; subqueries of each run are always lookups, which for 10,000
 * runs takes twice as long.
 */
class TagValues {
  readonly #tenantId: TenantId;
  readonly #experimentId: ExperimentId;
  readonly #tables: { readonly key: string; readonly name: string; readonly table: RawBuilder<unknown> }[] = [];

  constructor(tenantId: TenantId, experimentId: ExperimentId) {
    this.#tenantId = tenantId;
    this.#experimentId = experimentId;
  }

  /** The value of the row `b`; null: there are too many tables. */
  valueOf(summary: StoredSummary, tag: string): RawBuilder<unknown> | null {
    const ofExtremes = summary === 'min' || summary === 'max';
    const key = `${ofExtremes ? 'extremes' : 'last'} ${tag}`;
    const known = this.#tables.find((one) => one.key === key);
    if (known) return sql.ref(`${known.name}.${summary}`);
    if (this.#tables.length >= mostTables) return null;
    const name = `t${this.#tables.length}`;
    this.#tables.push({ key, name, table: ofExtremes ? this.#extremes(tag) : this.#last(tag) });
    return sql.ref(`${name}.${summary}`);
  }

  /** The value of the row `b` from a table of numbers. */
  given(points: PointValues): RawBuilder<unknown> {
    const key = `given ${JSON.stringify(points.ref)}`;
    const known = this.#tables.find((one) => one.key === key);
    if (known) return sql.ref(`${known.name}.value`);
    const name = `t${this.#tables.length}`;
    this.#tables.push({ key, name, table: sql`select l.run_id, l.value from ${numbersByRun(points)} as l(run_id, value)` });
    return sql.ref(`${name}.value`);
  }

  /** The tables, each with a comma; those of all values that were asked for. */
  tables(): RawBuilder<unknown> {
    return sql.join(
      this.#tables.map(({ name, table }) => sql`${sql.ref(name)} as materialized (${table}), `),
      sql``,
    );
  }

  joins(): RawBuilder<unknown> {
    return sql.join(
      this.#tables.map(({ name }) => sql` left join ${sql.ref(name)} on ${sql.ref(`${name}.run_id`)} = b.run_id`),
      sql``,
    );
  }

  #last(tag: string): RawBuilder<unknown> {
    return sql`select distinct on (s.run_id) s.run_id, v.last_value as ${sql.ref('last')}, v.last_step::float8 as ${sql.ref('lastStep')}
      ${this.#from(tag)} order by s.run_id, ${newestFirst}`;
  }

  #extremes(tag: string): RawBuilder<unknown> {
    return sql`select s.run_id, min(v.min_value) as ${sql.ref('min')}, max(v.max_value) as ${sql.ref('max')} ${this.#from(tag)} group by s.run_id`;
  }

  #from(tag: string): RawBuilder<unknown> {
    return sql`from run r join series s on s.tenant_id = ${this.#tenantId} and s.run_id = r.run_id
        join series_stats v on v.tenant_id = ${this.#tenantId} and v.series_id = s.series_id
      where r.tenant_id = ${this.#tenantId} and r.experiment_id = ${this.#experimentId} and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar'`;
  }
}

type StoredSummary = Exclude<Summary, 'minStep' | 'maxStep'>;

/**
 * Several writers of a run have one series each: the last point is the one with the largest step; of
 * equal steps, the one logged last.
 */
const newestFirst = sql`v.last_step desc nulls last, v.last_wall_time desc nulls last, s.writer`;

function storedSummary(tenantId: TenantId, summary: StoredSummary, tag: string): RawBuilder<unknown> {
  const column = sql.raw(
    { last: 'v.last_value', min: 'min(v.min_value)', max: 'max(v.max_value)', lastStep: 'v.last_step::float8' }[summary],
  );
  const order = summary === 'last' || summary === 'lastStep' ? sql`order by ${newestFirst} limit 1` : sql``;
  return sql`(
    select ${column} from series s join series_stats v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
    where s.tenant_id = ${tenantId} and s.run_id = b.run_id and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar' ${order})`;
}
