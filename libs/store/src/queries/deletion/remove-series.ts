import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { AnyScope } from '../../scope.ts';

/**
 * Removes series that no longer have points, with their statistics. Returns the number of removed
 * series.
 */
export async function removeSeries({ trx, tenantId }: AnyScope, seriesIds: readonly SeriesId[]): Promise<number> {
  const { rows } = await sql`
    /* remove-series */
    delete from series where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) returning 1`.execute(trx);
  return rows.length;
}
