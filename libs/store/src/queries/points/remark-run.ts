import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId, SeriesId } from '#model';
import type { ValuePlace } from './read-series-points.ts';
import type { ValueTable } from './write-values.ts';
import type { IngestScope, OperatorScope } from '../../scope.ts';

/**
 * Requests that the data rules be reapplied to every point of these runs: of one run, or (null) of
 * all runs of the experiment. Returns the runs.
 */
export async function requestRemark(
  { trx, tenantId }: OperatorScope,
  experimentId: ExperimentId,
  runId: RunId | null = null,
): Promise<RunId[]> {
  const { rows } = await sql<{ run_id: RunId }>`/* request-remark */ update run_work w set remark = true, retry_at = least(retry_at, now())
    from experiment e
    where w.tenant_id = ${tenantId} and w.experiment_id = ${experimentId} and (${runId}::bigint is null or w.run_id = ${runId}::bigint)
      and e.tenant_id = ${tenantId} and e.experiment_id = w.experiment_id and e.deleted_at is null and e.snapshot_of is null
    returning w.run_id`.execute(trx);
  return rows.map((row) => row.run_id);
}

/** Records that the rules were reapplied to the run; the caller holds it. */
export async function settleRemark({ trx, tenantId }: IngestScope, runId: RunId): Promise<void> {
  await sql`/* settle-remark */ update run_work set remark = false where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}

/**
 * Smallest and largest finite wall time of the stored points of each file of a run; files without
 * any are omitted. Excludes points of the tail.
 */
export async function readFileWallTimes(
  { trx, tenantId }: IngestScope,
  runId: RunId,
): Promise<Map<FileId, { first: number; last: number }>> {
  const finite = sql`between '-1.7976931348623157e308'::float8 and '1.7976931348623157e308'::float8`;
  const { rows } = await sql<{ file_id: FileId; first: number | null; last: number | null }>`
    /* read-file-wall-times */
    select p.file_id, min(p.first) filter (where p.first ${finite}) as first, max(p.last) filter (where p.last ${finite}) as last
    from series s, lateral (
      select c.file_id, c.min_wall as first, c.max_wall as last from scalar_chunk c where c.tenant_id = ${tenantId} and c.series_id = s.series_id
      union all
      select v.file_id, v.wall_time, v.wall_time from tensor_value v where v.tenant_id = ${tenantId} and v.series_id = s.series_id
      union all
      select b.file_id, b.wall_time, b.wall_time from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = s.series_id
    ) p
    where s.tenant_id = ${tenantId} and s.run_id = ${runId}
    group by p.file_id`.execute(trx);
  return new Map(
    rows.flatMap(({ file_id, first, last }) => (first === null || last === null ? [] : [[file_id, { first, last }] as const])),
  );
}

/**
 * Removes every point and START of these files of a run, which are copies of others. Returns what
 * was removed, for the usage of the run.
 */
export async function removeFilePoints(
  { trx, tenantId }: IngestScope,
  runId: RunId,
  fileIds: readonly FileId[],
): Promise<{ readonly points: number; readonly valueBytes: number }> {
  const ids = [...fileIds];
  const { rows } = await sql<{ points: string; bytes: string }>`
    /* remove-file-points */
    with own as (select series_id from series where tenant_id = ${tenantId} and run_id = ${runId}),
    chunks as (
      delete from scalar_chunk c using own where c.tenant_id = ${tenantId} and c.series_id = own.series_id and c.file_id = any(${ids}::bigint[])
      returning c.count::bigint as points, 0::bigint as bytes),
    tensors as (
      delete from tensor_value v using own where v.tenant_id = ${tenantId} and v.series_id = own.series_id and v.file_id = any(${ids}::bigint[])
      returning 1::bigint as points, v.bytes::bigint as bytes),
    blobs as (
      delete from blob_sequence_value b using own where b.tenant_id = ${tenantId} and b.series_id = own.series_id and b.file_id = any(${ids}::bigint[])
      returning 1::bigint as points, (select coalesce(sum(n), 0) from unnest(b.blob_bytes) n)::bigint as bytes),
    starts as (
      delete from session_start t where t.tenant_id = ${tenantId} and t.run_id = ${runId} and t.file_id = any(${ids}::bigint[]) returning 1)
    select coalesce(sum(points), 0) as points, coalesce(sum(bytes), 0) as bytes from (
      select * from chunks union all select * from tensors union all select * from blobs) g`.execute(trx);
  return { points: Number(rows[0]!.points), valueBytes: Number(rows[0]!.bytes) };
}

/** The position of a value, and the series that it belongs to. */
export interface RemarkedValue extends Pick<ValuePlace, 'fileId' | 'ordinal' | 'superseded'> {
  readonly fromSeries: SeriesId;
  readonly toSeries: SeriesId;
}

/** Marks values as superseded or effective, and moves them to the series of their writers. */
export async function remarkValues({ trx, tenantId }: IngestScope, table: ValueTable, values: readonly RemarkedValue[]): Promise<void> {
  if (values.length === 0) return;
  const column = <T>(pick: (value: RemarkedValue) => T): T[] => values.map(pick);
  await sql`/* remark-values */ update ${sql.table(table)} v set superseded = u.superseded, series_id = u.to_series
    from unnest(${column((v) => v.fromSeries)}::bigint[], ${column((v) => v.fileId)}::bigint[], ${column((v) => String(v.ordinal))}::bigint[],
      ${column((v) => v.toSeries)}::bigint[], ${column((v) => v.superseded)}::boolean[]) as u(from_series, file_id, ordinal, to_series, superseded)
    where v.tenant_id = ${tenantId} and v.series_id = u.from_series and v.file_id = u.file_id and v.ordinal = u.ordinal`.execute(trx);
}

/** Those of these series that have any stored point. */
export async function readSeriesWithPoints({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<Set<SeriesId>> {
  const { rows } = await sql<{ series_id: SeriesId }>`/* read-series-with-points */
    select s.series_id from unnest(${[...seriesIds]}::bigint[]) as s(series_id)
    where exists (select from scalar_chunk c where c.tenant_id = ${tenantId} and c.series_id = s.series_id)
      or exists (select from tensor_value v where v.tenant_id = ${tenantId} and v.series_id = s.series_id)
      or exists (select from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = s.series_id)`.execute(trx);
  return new Set(rows.map((row) => row.series_id));
}

/** Recounts the points of another class of these series: those of their twins. */
export async function recountMismatched({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<void> {
  await sql`/* recount-mismatched */ update series_stats v set mismatched_points = (
      select count(*) from series t join tensor_value n on n.tenant_id = ${tenantId} and n.series_id = t.series_id
      where t.tenant_id = ${tenantId} and t.run_id = m.run_id and t.tag_hash = m.tag_hash and t.twin and t.writer = m.writer)
    from series m
    where v.tenant_id = ${tenantId} and m.tenant_id = ${tenantId} and v.series_id = m.series_id and m.series_id = any(${[...seriesIds]}::bigint[])
      and not m.twin`.execute(trx);
}

/**
 * Moves the counts of points that are not stored, invalid and rounded ones, from these series to
 * another one.
 */
export async function moveSeriesCounts({ trx, tenantId }: IngestScope, from: readonly SeriesId[], to: SeriesId): Promise<void> {
  await sql`/* move-series-counts */
    update series_stats v set invalid_points = v.invalid_points + f.invalid, rounded_points = v.rounded_points + f.rounded
    from (select coalesce(sum(invalid_points), 0) as invalid, coalesce(sum(rounded_points), 0) as rounded
      from series_stats where tenant_id = ${tenantId} and series_id = any(${[...from]}::bigint[])) f
    where v.tenant_id = ${tenantId} and v.series_id = ${to} and f.invalid + f.rounded > 0`.execute(trx);
}
