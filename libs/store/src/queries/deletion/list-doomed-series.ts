import { sql } from 'kysely';
import type { RunId, SeriesId, TagName } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Selects a series' points. Steps are inclusive, and null means no bound. */
export interface DoomedPoints {
  readonly seriesIds: readonly SeriesId[];
  readonly fromStep: bigint | null;
  readonly toStep: bigint | null;
}

/** At most `limit` IDs of a run's series with these tags (null means any tag). */
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
