import { sql } from 'kysely';
import type { FileId, SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';
import { type ChunkName, keyColumns } from './chunk-name.ts';

/** Encoded chunk bodies, by `chunkName`. */
export async function readChunkBodies({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<Map<string, Buffer>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ series_id: SeriesId; file_id: FileId; first_ordinal: string; body: Buffer }>`
    /* prepared: read-chunk-bodies */ select c.series_id, c.file_id, c.first_ordinal, c.body from ${keyColumns(names)}
    join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
  return new Map(rows.map((row) => [`${row.series_id}/${row.file_id}/${row.first_ordinal}`, row.body]));
}
