import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Whether any of these series shares its run and tag with another listed scalar series from another
 * writer.
 */
export async function haveOtherWriters({ trx, tenantId }: TenantScope, seriesIds: readonly SeriesId[]): Promise<boolean> {
  if (seriesIds.length === 0) return false;
  const { rows } = await sql<{ found: boolean }>`
    /* have-other-writers */
    select exists (
      select from series s
      join series o on o.tenant_id = ${tenantId} and o.run_id = s.run_id and o.tag_hash = s.tag_hash
        and o.writer <> s.writer and o.data_class = 'scalar' and o.listed
      where s.tenant_id = ${tenantId} and s.series_id = any(${seriesIds}::int8[])
    ) as found`.execute(trx);
  return rows[0]!.found;
}
