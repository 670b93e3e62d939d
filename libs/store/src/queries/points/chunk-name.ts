import { sql } from 'kysely';
import type { ChunkKey } from '#chunks';
import type { SeriesId } from '#model';

/** Identifies a chunk within a tenant. */
export interface ChunkName {
  readonly seriesId: SeriesId;
  readonly key: ChunkKey;
}

/** The key of a chunk in a map. */
export function chunkName({ seriesId, key }: ChunkName): string {
  return `${seriesId}/${key.fileId}/${key.firstOrdinal}`;
}

/** The table `k` of chunk keys, to be joined with `scalar_chunk`. */
export function keyColumns(names: readonly ChunkName[]) {
  return sql`unnest(${names.map((n) => n.seriesId)}::bigint[], ${names.map((n) => n.key.fileId)}::bigint[],
    ${names.map((n) => String(n.key.firstOrdinal))}::bigint[]) as k(series_id, file_id, first_ordinal)`;
}
