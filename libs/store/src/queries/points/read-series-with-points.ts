import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** The given series that have stored points. */
export async function readSeriesWithPoints({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<Set<SeriesId>> {
  const { rows } = await sql<{ series_id: SeriesId }>`/* read-series-with-points */
    select s.series_id from unnest(${[...seriesIds]}::bigint[]) as s(series_id)
    where exists (select from scalar_chunk c where c.tenant_id = ${tenantId} and c.series_id = s.series_id)
      or exists (select from tensor_value v where v.tenant_id = ${tenantId} and v.series_id = s.series_id)
      or exists (select from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = s.series_id)`.execute(trx);
  return new Set(rows.map((row) => row.series_id));
}
