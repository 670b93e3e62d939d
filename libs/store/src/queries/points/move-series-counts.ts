import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** Recounts these series' points of another class, which are their twins' points. */
export async function recountMismatched({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<void> {
  await sql`/* recount-mismatched */ update series_stats v set mismatched_points = (
      select count(*) from series t join tensor_value n on n.tenant_id = ${tenantId} and n.series_id = t.series_id
      where t.tenant_id = ${tenantId} and t.run_id = m.run_id and t.tag_hash = m.tag_hash and t.twin and t.writer = m.writer)
    from series m
    where v.tenant_id = ${tenantId} and m.tenant_id = ${tenantId} and v.series_id = m.series_id and m.series_id = any(${[...seriesIds]}::bigint[])
      and not m.twin`.execute(trx);
}

/**
 * Moves the counts of invalid and rounded points, which are not stored, from these series to
 * another series.
 */
export async function moveSeriesCounts({ trx, tenantId }: IngestScope, from: readonly SeriesId[], to: SeriesId): Promise<void> {
  await sql`/* move-series-counts */
    update series_stats v set invalid_points = v.invalid_points + f.invalid, rounded_points = v.rounded_points + f.rounded
    from (select coalesce(sum(invalid_points), 0) as invalid, coalesce(sum(rounded_points), 0) as rounded
      from series_stats where tenant_id = ${tenantId} and series_id = any(${[...from]}::bigint[])) f
    where v.tenant_id = ${tenantId} and v.series_id = ${to} and f.invalid + f.rounded > 0`.execute(trx);
}
