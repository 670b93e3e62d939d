import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { IngestScope, TenantScope } from '../../scope.ts';

/**
 * Resets a series' summary, which the caller rebuilds from the remaining points. Counts of points
 * that were never stored are kept.
 */
export async function clearSeriesStats({ trx, tenantId }: IngestScope, seriesId: SeriesId): Promise<void> {
  await sql`/* clear-series-stats */
    update series_stats set points = 0, superseded_points = 0, nan_count = 0, first_step = null, last_step = null, last_wall_time = null,
      min_value = null, max_value = null, last_value = null, max_length = null
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
}

/** Recomputes the largest number of blobs in one point of a blob sequence series. */
export async function refreshMaxLength({ trx, tenantId }: IngestScope, seriesId: SeriesId): Promise<void> {
  await sql`/* refresh-max-length */ update series_stats set max_length = (
      select max(cardinality(b.blob_sha256)) from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = ${seriesId})
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
}

/**
 * After values were removed from a twin, subtracts them from the series' count of values of another
 * class.
 */
export async function subtractMismatched({ trx, tenantId }: TenantScope, twinId: string, values: number): Promise<void> {
  await sql`/* subtract-mismatched */ update series_stats v set mismatched_points = v.mismatched_points - ${values}
    from series t, series m
    where v.tenant_id = ${tenantId} and t.tenant_id = ${tenantId} and m.tenant_id = ${tenantId} and t.series_id = ${twinId} and t.twin
      and m.run_id = t.run_id and m.tag_hash = t.tag_hash and m.writer = t.writer and not m.twin and v.series_id = m.series_id`.execute(
    trx,
  );
}
