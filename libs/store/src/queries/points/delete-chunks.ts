import { sql } from 'kysely';
import type { IngestScope } from '../../scope.ts';
import { type ChunkName, keyColumns } from './chunk-name.ts';

/** Removes chunks whose points move to other chunks. */
export async function deleteChunks({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<void> {
  if (names.length === 0) return;
  await sql`/* prepared: delete-chunks */ delete from scalar_chunk c using ${keyColumns(names)}
    where c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
}
