import { sql } from 'kysely';
import type { IngestScope } from '../../scope.ts';
import { rollupColumns } from './chunk-columns.ts';
import { type ChunkName, keyColumns } from './chunk-name.ts';

/** Marks effective chunks as superseded in place. Superseded chunks have no cells. */
export async function flipChunks({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<void> {
  if (names.length === 0) return;
  await sql`/* flip-chunks */
    update scalar_chunk c set superseded = true, ${sql.raw(rollupColumns.map((name) => `${name} = null`).join(', '))}
    from ${keyColumns(names)}
    where c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
}
