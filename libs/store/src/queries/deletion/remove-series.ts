import { sql, type RawBuilder } from 'kysely';
import type { RunId, SeriesId, TagName } from '#model';
import type { ObjectToDelete } from './objects-to-delete.ts';
import { removeRollups } from '../points/scalar-rollups.ts';
import type { ValueTable } from '../points/write-values.ts';
import type { TenantScope, AnyScope } from '../../scope.ts';

/** Selects points of series: steps are inclusive, null means no bound. */
export interface DoomedPoints {
  readonly seriesIds: readonly SeriesId[];
  readonly fromStep: bigint | null;
  readonly toStep: bigint | null;
}

/**
 * The data that a statement has removed. `bytes`: of the row bodies; `objects`: those that the rows
 * referred to.
 */
export interface RemovedRows {
  readonly rows: number;
  readonly points: number;
  readonly bytes: number;
  /** Of the tensors and blobs themselves, wherever they are stored. */
  readonly valueBytes: number;
  /** Of ranges beyond a prefix that were kept. */
  readonly keptBytes: number;
  readonly objects: readonly ObjectToDelete[];
}

/** At most `limit` ids of series of a run: with these tags, or (null) with any. */
export async function listDoomedSeries(
  { trx, tenantId }: TenantScope,
  runId: RunId,
  tagHashes: readonly Buffer[] | null,
  limit: number,
): Promise<{ seriesId: SeriesId; dataClass: string; tag: TagName }[]> {
  const { rows } = await sql<{ series_id: SeriesId; data_class: string; tag: TagName }>`
    /* list-doomed-series */
    select series_id, data_class, tag from series
    where tenant_id = ${tenantId} and run_id = ${runId} and (${tagHashes === null} or tag_hash = any(${[...(tagHashes ?? [])]}::bytea[]))
    order by series_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({ seriesId: row.series_id, dataClass: row.data_class, tag: row.tag }));
}

/** Removes at most `limit` chunks of these series, and their rollups. */
export async function removeChunks(scope: TenantScope, seriesIds: readonly SeriesId[], limit: number): Promise<RemovedRows> {
  const { trx, tenantId } = scope;
  const ids = [...seriesIds];
  await removeRollups(scope, ids);
  const { rows } = await sql<{ rows: string; points: string; bytes: string }>`
    /* remove-chunks */
    with gone as (
      delete from scalar_chunk c using (
        select d.series_id, d.file_id, d.first_ordinal from scalar_chunk d
        where d.tenant_id = ${tenantId} and d.series_id = any(${ids}::bigint[]) limit ${limit}) d
      where c.tenant_id = ${tenantId} and c.series_id = d.series_id and c.file_id = d.file_id and c.first_ordinal = d.first_ordinal
      returning c.count, octet_length(c.body) as bytes)
    select count(*) as rows, coalesce(sum(count), 0) as points, coalesce(sum(bytes), 0) as bytes from gone`.execute(trx);
  const row = rows[0]!;
  return { rows: Number(row.rows), points: Number(row.points), bytes: Number(row.bytes), valueBytes: 0, keptBytes: 0, objects: [] };
}

/** Removes at most `limit` tensors or blob sequences; other rows may refer to the same objects. */
export async function removeValues(
  { trx, tenantId }: TenantScope,
  table: ValueTable,
  points: DoomedPoints,
  limit: number,
): Promise<RemovedRows> {
  const columns: RawBuilder<unknown> =
    table === 'tensor_value'
      ? sql`case when v.object_key is null then '{}' else array[v.object_key] end as keys,
          array[v.bytes]::bigint[] as sizes, coalesce(octet_length(v.body), 0) as bytes`
      : sql`array(select case when h is null then null else 'blob/' || encode(h, 'hex') end from unnest(v.blob_sha256) with ordinality u(h, n) order by n) as keys,
          v.blob_bytes as sizes, 0 as bytes`;
  const { rows } = await sql<{ keys: (string | null)[]; sizes: string[]; bytes: number }>`
    /* remove-values */
    delete from ${sql.table(table)} v using (
      select d.series_id, d.file_id, d.ordinal from ${sql.table(table)} d
      where d.tenant_id = ${tenantId} and d.series_id = any(${[...points.seriesIds]}::bigint[])
        and (${points.fromStep?.toString() ?? null}::bigint is null or d.step >= ${points.fromStep?.toString() ?? null}::bigint)
        and (${points.toStep?.toString() ?? null}::bigint is null or d.step <= ${points.toStep?.toString() ?? null}::bigint)
      limit ${limit}) d
    where v.tenant_id = ${tenantId} and v.series_id = d.series_id and v.file_id = d.file_id and v.ordinal = d.ordinal
    returning ${columns}`.execute(trx);
  const objects = rows.flatMap((row) =>
    row.keys.flatMap((objectKey, i) => (objectKey === null ? [] : [{ objectKey, bytes: Number(row.sizes[i] ?? 0) }])),
  );
  return {
    rows: rows.length,
    points: rows.length,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    valueBytes: rows.reduce((sum, row) => row.sizes.reduce((all, size) => all + Number(size), sum), 0),
    keptBytes: 0,
    objects,
  };
}

/** Removes series that have no points anymore, with their statistics; returns how many. */
export async function removeSeries({ trx, tenantId }: AnyScope, seriesIds: readonly SeriesId[]): Promise<number> {
  const { rows } = await sql`
    /* remove-series */
    delete from series where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) returning 1`.execute(trx);
  return rows.length;
}

/** Removes the tag from the problems of records that could not be read. */
export async function blankProblems({ trx, tenantId }: TenantScope, runId: RunId, tag: TagName): Promise<void> {
  await sql`/* blank-problems */ update file_problem set detail = replace(detail, ${tag}, '(deleted)')
    where tenant_id = ${tenantId} and run_id = ${runId} and position(${tag} in detail) > 0`.execute(trx);
}

/**
 * Clears the data of a run's hparams session: its start (hyperparameters and group) or its end
 * (status).
 */
export async function clearRunSession({ trx, tenantId }: TenantScope, runId: RunId, part: 'start' | 'end'): Promise<void> {
  if (part === 'end')
    await sql`/* clear-run-session-run-facts */
      update run_facts set status = null, status_time = null where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  const change = part === 'start' ? sql`hparams = null, group_name = null` : sql`status = 'unknown'`;
  await sql`/* clear-run-session-run-state */
    update run_state set ${change} where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}

/** Removes what a run recorded about itself, except its status. */
export async function clearRunFacts({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* clear-run-facts */
    update run_facts set recorded_at = null, display_name = null, job_type = null, labels = '{}', command = null, git_commit = null,
      git_dirty = null, git_branch = null, git_remote = null, folder = null, person = null, host = null
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
