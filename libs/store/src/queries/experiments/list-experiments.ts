import { type RawBuilder, sql } from 'kysely';
import { type ExperimentId, isPart, type TenantId, type View, type Visibility } from '#model';
import { afterKeysSql, type Filter, filterSql, type ListFields, type OrderKey, orderList, orderSql, runFiltered } from './filter-sql.ts';
import { runInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * An experiment with its totals. Point counts include all stored points, even superseded points.
 */
export interface ExperimentSummary {
  readonly experimentId: ExperimentId;
  readonly name: string;
  readonly description: string;
  readonly ownerId: string;
  readonly ownerName: string;
  readonly visibility: Visibility;
  /** A snapshot's source and epoch. Null if the experiment is not a snapshot. */
  readonly snapshot: { readonly of: string; readonly epoch: number } | null;
  readonly labels: readonly string[];
  /** Null in lists. */
  readonly notes: string | null;
  readonly archived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The query string of the default saved view. Null if there is none. */
  readonly defaultView: string | null;
  /**
   * Runs that the view shows and that have at least one readable event (data rule 9). All other
   * counts cover the whole experiment.
   */
  readonly runs: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobSequences: number;
  readonly acknowledgedBytes: number;
  readonly acknowledgedEpoch: number;
  /** When data last arrived. Null if none has arrived, or if the experiment is a snapshot. */
  readonly acknowledgedAt: Date | null;
  /** Everything up to this epoch is visible. */
  readonly epoch: number;
}

/** Selects experiments, and a page of the list. */
export interface ExperimentListRequest {
  readonly filter: Filter | null;
  /** The last key must distinguish any two experiments. */
  readonly order: readonly OrderKey[];
  readonly limit: number;
  /** The last experiment of the previous page. */
  readonly after: ExperimentId | null;
  /** Only these experiments. Null means all of the tenant's experiments. */
  readonly within: ReadonlySet<string> | null;
  /** Only this person's experiments. If absent, experiments of any owner. */
  readonly ownedBy?: string;
}

/** The fields by which experiments can be filtered and ordered. */
export const experimentFields: ListFields = {
  id: { kind: 'text', takesArgument: false, notNull: true, value: () => sql`b.experiment_id` },
  name: { kind: 'text', takesArgument: false, notNull: true, value: () => sql`b.name` },
  description: { kind: 'text', takesArgument: false, notNull: true, value: () => sql`b.description` },
  owner: { kind: 'text', takesArgument: false, notNull: true, value: () => sql`b.owner_name` },
  label: { kind: 'labels', takesArgument: false, value: () => sql`b.labels` },
  archived: { kind: 'text', takesArgument: false, notNull: true, value: () => sql`(b.archived_at is not null)::text` },
  created: { kind: 'time', takesArgument: false, notNull: true, value: () => sql`b.created_at` },
  updated: { kind: 'time', takesArgument: false, notNull: true, value: () => sql`b.updated_at` },
  received: { kind: 'time', takesArgument: false, value: () => received(sql`b.tenant_id`) },
};

/** Read only on demand, so that other lists need not read the counters of all experiments. */
function received(tenantId: unknown): RawBuilder<unknown> {
  return sql`(select g.acknowledged_at from experiment_epoch g where g.tenant_id = ${tenantId} and g.experiment_id = b.experiment_id)`;
}

/**
 * The fields in a tenant's statement. Each subquery needs its own tenant condition, so that a
 * cluster finds its shard.
 */
export function experimentFieldsOf(tenantId: TenantId): ListFields {
  return { ...experimentFields, received: { ...experimentFields['received']!, value: () => received(tenantId) } };
}

/**
 * A page of the tenant's experiments. Null if `after` is not one of them. Pages ordered by
 * `created`, `name` or `updated` are read from an index. For other fields, the keys of all
 * experiments are read and sorted. Counts are read only for the page's experiments.
 */
export async function listExperiments(scope: TenantScope, request: ExperimentListRequest): Promise<ExperimentSummary[] | null> {
  const { trx, tenantId } = scope;
  const { order, after } = request;
  const fields = experimentFieldsOf(tenantId);
  const keys = sql.join(order.map((key, index) => sql`${orderSql(key, fields)} as ${sql.ref(`k${index}`)}`));
  const keyed = (only: RawBuilder<unknown>) => sql`
    select b.*, ${keys} from (
      select e.*, p.display_name as owner_name
      from experiment e join person p on p.person_id = e.owner_id
      where e.tenant_id = ${tenantId}${only}) b`;
  if (after !== null) {
    if (request.within && !request.within.has(after)) return null;
    const { rows } = await sql`/* list-experiments */
      select from experiment b where b.tenant_id = ${tenantId} and b.experiment_id = ${after}`.execute(trx);
    if (rows.length === 0) return null;
  }
  const last = after === null ? sql`` : sql`with a as materialized (${keyed(sql` and e.experiment_id = ${after}`)})`;
  const beyond = after === null ? sql`true` : afterKeysSql(order, fields, (index) => sql`(select ${sql.ref(`a.k${index}`)} from a)`);
  const chosen = sql`
    ${last}
    select b.* from (${keyed(sql``)}) b
    where b.deleted_at is null
      and ${request.within === null ? sql`true` : sql`b.experiment_id = any(${[...request.within]}::text[])`}
      and ${request.ownedBy === undefined ? sql`true` : sql`b.owner_id = ${request.ownedBy}`}
      and ${request.filter === null ? sql`true` : filterSql(request.filter, fields)}
      and ${beyond}
    order by ${orderList(order, fields)}
    limit ${request.limit}`;
  return runFiltered(trx, request.filter, () =>
    summarize(scope, { chosen, order: orderList(order, fields), view: null, notes: sql`null::text` }),
  );
}

/** One experiment as its view shows it. Null if it does not exist or was deleted. */
export async function readExperiment(
  scope: TenantScope,
  experimentId: ExperimentId,
  view: View | null = null,
): Promise<ExperimentSummary | null> {
  const one = sql`
    select e.*, p.display_name as owner_name
    from experiment e join person p on p.person_id = e.owner_id
    where e.tenant_id = ${scope.tenantId} and e.experiment_id = ${experimentId} and e.deleted_at is null`;
  const [found] = await summarize(scope, { chosen: one, order: sql`b.experiment_id`, view, notes: sql`b.notes` });
  return found ?? null;
}

interface Row {
  experiment_id: ExperimentId;
  name: string;
  description: string;
  owner_id: string;
  owner_name: string;
  visibility: Visibility;
  snapshot_of: string | null;
  snapshot_epoch: string | null;
  labels: string[];
  notes: string | null;
  archived: boolean;
  created_at: Date;
  updated_at: Date;
  default_view: string | null;
  runs: string;
  /** Of all classes. */
  points: string;
  tensors: string;
  blob_sequences: string;
  acknowledged_bytes: string;
  acknowledged_epoch: string;
  acknowledged_at: Date | null;
  published_epoch: string;
}

/** Selects experiments `b`, their order, and the columns of each. */
interface Summarized {
  readonly chosen: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly view: View | null;
  readonly notes: RawBuilder<unknown>;
}

/** Runs of experiment `b` that the view shows. */
function runsInView(tenantId: TenantId, view: View): RawBuilder<unknown> {
  return sql`(
      select count(*) from run r join run_state s on s.tenant_id = ${tenantId} and s.run_id = r.run_id
      where r.tenant_id = ${tenantId} and r.experiment_id = b.experiment_id and r.deleted_at is null and s.events > 0 and ${runInView(tenantId, view)})`;
}

/**
 * Counts for a page's experiments, in one statement after paging, because experiments differ so
 * much in size that no single plan suits all. A run's state counts all of its points. Tensors and
 * blob sequences are few, so they are counted from their series. `offset 0` makes Postgres look up
 * each series by its key, regardless of its estimates, instead of reading the statistics of all
 * scalars.
 */
async function summarize({ trx, tenantId }: TenantScope, { chosen, order, view, notes }: Summarized): Promise<ExperimentSummary[]> {
  // The condition that row `s` (a run's state or a series) belongs to the page and that its run is
  // not being deleted.
  const counts = sql`s.tenant_id = ${tenantId} and s.experiment_id in (select experiment_id from page) and not exists (
        select from run d where d.tenant_id = ${tenantId} and d.run_id = s.run_id and d.deleted_at is not null)`;
  const runs = isPart(view) ? runsInView(tenantId, view!) : sql`coalesce(n.runs, 0)`;
  const { rows } = await sql<Row>`
    /* summarize */
    with page as materialized (${chosen})
    select b.experiment_id, b.name, b.description, b.owner_id, b.owner_name, b.visibility, b.snapshot_of, b.snapshot_epoch, b.labels, ${notes} as notes,
      b.archived_at is not null as archived, b.created_at, b.updated_at,
      (select d.parameters from saved_view d where d.tenant_id = ${tenantId} and d.experiment_id = b.experiment_id and d.is_default) as default_view,
      ${runs} as runs, coalesce(n.points, 0) as points, coalesce(c.tensors, 0) as tensors, coalesce(c.blob_sequences, 0) as blob_sequences,
      a.acknowledged_bytes, a.acknowledged_epoch, a.acknowledged_at, w.published_epoch
    from page b
    join experiment_epoch a on a.tenant_id = ${tenantId} and a.experiment_id = b.experiment_id
    left join (
      select s.experiment_id, count(*) filter (where s.events > 0) as runs, sum(s.points) as points
      from run_state s where ${counts} group by s.experiment_id
    ) n on n.experiment_id = b.experiment_id
    left join (
      select s.experiment_id,
        sum(v.points + v.superseded_points) filter (where s.data_class = 'tensor') as tensors,
        sum(v.points + v.superseded_points) filter (where s.data_class = 'blob_sequence') as blob_sequences
      from series s,
      lateral (select points, superseded_points from series_stats where tenant_id = ${tenantId} and series_id = s.series_id offset 0) v
      where s.data_class <> 'scalar' and ${counts} group by s.experiment_id
    ) c on c.experiment_id = b.experiment_id,
    lateral (
      select coalesce((select v.published_epoch from progress_view v where v.tenant_id = ${tenantId} and v.experiment_id = b.experiment_id),
        (select min(g.epoch) - 1 from pending_segment g where g.tenant_id = ${tenantId} and g.experiment_id = b.experiment_id),
        a.acknowledged_epoch) as published_epoch
    ) w
    order by ${order}`.execute(trx);
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    name: row.name,
    description: row.description,
    ownerId: row.owner_id,
    ownerName: row.owner_name,
    visibility: row.visibility,
    snapshot: row.snapshot_of === null ? null : { of: row.snapshot_of, epoch: Number(row.snapshot_epoch) },
    labels: row.labels,
    notes: row.notes,
    archived: row.archived,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    defaultView: row.default_view,
    runs: Number(row.runs),
    points: Number(row.points) - Number(row.tensors) - Number(row.blob_sequences),
    tensors: Number(row.tensors),
    blobSequences: Number(row.blob_sequences),
    acknowledgedBytes: Number(row.acknowledged_bytes),
    acknowledgedEpoch: Number(row.acknowledged_epoch),
    acknowledgedAt: row.acknowledged_at,
    epoch: Number(row.published_epoch),
  }));
}
