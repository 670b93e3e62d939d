import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { ValueTable } from './write-values.ts';
import type { IngestScope } from '../../scope.ts';

/**
 * What a batch adds to one series' counters and, for tensors and blob sequences, the range of its
 * effective points (null for scalars).
 */
export interface SeriesStatsDelta {
  readonly seriesId: SeriesId;
  readonly points: number;
  readonly superseded: number;
  readonly invalid: number;
  readonly mismatched: number;
  readonly rounded: number;
  readonly firstStep: bigint | null;
  readonly lastStep: bigint | null;
  readonly lastWallTime: number | null;
  /** For blob sequences: the largest number of blobs in one point. */
  readonly maxLength: number | null;
}

/**
 * Adds deltas to `series_stats`, creating rows as needed. Valid only for batches that superseded no
 * stored tensor or blob sequence; otherwise, see {@link refreshValueStats}.
 */
export async function addSeriesStats({ trx, tenantId }: IngestScope, deltas: readonly SeriesStatsDelta[]): Promise<void> {
  if (deltas.length === 0) return;
  const column = <T>(pick: (delta: SeriesStatsDelta) => T): T[] => deltas.map(pick);
  const steps = (pick: (delta: SeriesStatsDelta) => bigint | null): (string | null)[] =>
    deltas.map((delta) => pick(delta)?.toString() ?? null);
  await sql`/* prepared: add-series-stats */ insert into series_stats as s
      (tenant_id, series_id, points, superseded_points, invalid_points, mismatched_points, rounded_points, nan_count,
       first_step, last_step, last_wall_time, max_length)
    select ${tenantId}::uuid, d.* from unnest(
      ${column((d) => d.seriesId)}::bigint[], ${column((d) => d.points)}::bigint[], ${column((d) => d.superseded)}::bigint[],
      ${column((d) => d.invalid)}::bigint[], ${column((d) => d.mismatched)}::bigint[], ${column((d) => d.rounded)}::bigint[], ${column(() => 0)}::bigint[],
      ${steps((d) => d.firstStep)}::bigint[], ${steps((d) => d.lastStep)}::bigint[], ${column((d) => d.lastWallTime)}::float8[],
      ${column((d) => d.maxLength)}::bigint[]) as d
    on conflict (tenant_id, series_id) do update set
      points = s.points + excluded.points,
      superseded_points = s.superseded_points + excluded.superseded_points,
      invalid_points = s.invalid_points + excluded.invalid_points,
      mismatched_points = s.mismatched_points + excluded.mismatched_points,
      rounded_points = s.rounded_points + excluded.rounded_points,
      first_step = least(s.first_step, excluded.first_step),
      last_wall_time = case when excluded.last_step is not null and (s.last_step is null or excluded.last_step >= s.last_step)
        then excluded.last_wall_time else s.last_wall_time end,
      last_step = greatest(s.last_step, excluded.last_step),
      max_length = greatest(s.max_length, excluded.max_length)`.execute(trx);
}

/**
 * Recomputes the summaries of scalar series from their chunks, in the transaction that changed
 * them. The rows must exist. Returns the series with more than `manyChunks` effective chunks.
 */
export async function refreshScalarStats(
  { trx, tenantId }: IngestScope,
  seriesIds: readonly SeriesId[],
  manyChunks: number,
): Promise<SeriesId[]> {
  if (seriesIds.length === 0) return [];
  const { rows } = await sql<{ series_id: SeriesId }>`/* prepared: refresh-scalar-stats */ with refreshed as (update series_stats s set
      points = c.points, superseded_points = c.superseded, nan_count = c.nans,
      first_step = c.first_step, last_step = c.last_step, min_value = c.min_value, max_value = c.max_value,
      last_value = l.last_value, last_wall_time = l.last_wall
    from (
      select series_id,
        coalesce(sum(count) filter (where not superseded), 0) as points,
        coalesce(sum(count) filter (where superseded), 0) as superseded,
        coalesce(sum(nan_count) filter (where not superseded), 0) as nans,
        count(*) filter (where not superseded) as chunks,
        min(first_step) filter (where not superseded) as first_step,
        max(last_step) filter (where not superseded) as last_step,
        min(min_value) filter (where not superseded) as min_value,
        max(max_value) filter (where not superseded) as max_value
      from scalar_chunk
      where tenant_id = ${tenantId} and series_id = any(${seriesIds}::bigint[])
      group by series_id
    ) c
    left join lateral (
      select last_value, last_wall from scalar_chunk k
      where k.tenant_id = ${tenantId} and k.series_id = c.series_id and not k.superseded
      order by k.first_step desc limit 1
    ) l on true
    where s.tenant_id = ${tenantId} and s.series_id = c.series_id and s.series_id = any(${seriesIds}::bigint[])
    returning s.series_id, c.chunks)
    select series_id from refreshed where chunks > ${manyChunks}`.execute(trx);
  return rows.map((row) => row.series_id);
}

/**
 * Recomputes the counts and ranges of tensor or blob sequence series from their rows, after stored
 * values were superseded. The rows must exist.
 */
export async function refreshValueStats({ trx, tenantId }: IngestScope, table: ValueTable, seriesIds: readonly SeriesId[]): Promise<void> {
  if (seriesIds.length === 0) return;
  await sql`/* refresh-value-stats */ update series_stats s set
      points = v.points, superseded_points = v.superseded, first_step = v.first_step, last_step = v.last_step, last_wall_time = v.last_wall
    from (
      select series_id,
        count(*) filter (where not superseded) as points,
        count(*) filter (where superseded) as superseded,
        min(step) filter (where not superseded) as first_step,
        max(step) filter (where not superseded) as last_step,
        (array_agg(wall_time order by step desc) filter (where not superseded))[1] as last_wall
      from ${sql.table(table)}
      where tenant_id = ${tenantId} and series_id = any(${seriesIds}::bigint[])
      group by series_id
    ) v
    where s.tenant_id = ${tenantId} and s.series_id = v.series_id`.execute(trx);
}
