/**
 * Rollups above the chunk; see `scalar_rollup` in docs/schema.md. Only the holder of the run
 * (`claimRun`, `holdRun`) changes a series' chunks, and therefore its rollups. Outdated rollups are
 * never visible.
 */
import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { IngestScope, AnyScope } from '../../scope.ts';

/**
 * Where a series' effective chunks have changed: no chunk that ends before this step was removed,
 * added or flipped.
 */
export interface SeriesChange {
  readonly seriesId: SeriesId;
  readonly fromStep: bigint;
}

/**
 * Removes, at every level, the rollups of chunks that have changed. Runs in the transaction that
 * changes the chunks.
 */
export async function shortenRollups({ trx, tenantId }: IngestScope, changes: readonly SeriesChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`/* prepared: shorten-rollups */ delete from scalar_rollup r
    using unnest(${changes.map((change) => change.seriesId)}::bigint[], ${changes.map((change) => change.fromStep.toString())}::bigint[]) as k(series_id, from_step)
    where r.tenant_id = ${tenantId} and r.series_id = k.series_id and r.last_step >= k.from_step`.execute(trx);
}

/** Removes all rollups of these series. */
export async function removeRollups({ trx, tenantId }: AnyScope, seriesIds: readonly SeriesId[]): Promise<void> {
  await sql`/* remove-rollups */
    delete from scalar_rollup where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[])`.execute(trx);
}
