import type { FileId, RunId, SeriesId } from '#model';
import { arrayParameter, queryText, readBytes, type TextRow } from '../../text-result.ts';
import type { Snapshot } from '../../scope.ts';

/** A series' chunk and its position in log order (data rule 2). Superseded chunks are included. */
export interface ChunkPlace {
  /** Position of its file among the run's files in log order, starting at 0. */
  readonly fileRank: number;
  readonly fileId: FileId;
  readonly firstOrdinal: number;
  readonly count: number;
  readonly superseded: boolean;
}

const places = {
  name: 'list-chunk-places',
  text: `
select f.rank, c.file_id, c.first_ordinal, c.count, c.superseded
from (
  select e.file_id, row_number() over (order by coalesce(p.first_wall_time, '-infinity'), e.name collate "C", e.version) - 1 as rank
  from event_file e left join file_progress p on p.tenant_id = $1 and p.file_id = e.file_id where e.tenant_id = $1 and e.run_id = $2
) f
join scalar_chunk c on c.tenant_id = $1 and c.series_id = $3 and c.file_id = f.file_id
where f.rank >= $4
order by f.rank, c.first_ordinal`,
};

/**
 * The positions of a series' chunks, starting with the run's file at `fromRank`, ordered by file
 * and first ordinal.
 */
export async function listChunkPlaces(
  { client, tenantId }: Snapshot,
  runId: RunId,
  seriesId: SeriesId,
  fromRank: number,
): Promise<ChunkPlace[]> {
  const rows = await queryText<readonly [string, FileId, ...TextRow]>(client, places, [tenantId, runId, seriesId, fromRank]);
  return rows.map((row) => ({
    fileRank: Number(row[0]),
    fileId: row[1],
    firstOrdinal: Number(row[2]),
    count: Number(row[3]),
    superseded: row[4] === 't',
  }));
}

const ranks = {
  name: 'list-file-ranks',
  text: `select e.file_id from event_file e left join file_progress p on p.tenant_id = $1 and p.file_id = e.file_id
where e.tenant_id = $1 and e.run_id = $2 order by coalesce(p.first_wall_time, '-infinity'), e.name collate "C", e.version`,
};

/**
 * The run's files in log order: by first wall time, then by the bytes of the name, then by version.
 */
export async function listFilesInLogOrder({ client, tenantId }: Snapshot, runId: RunId): Promise<FileId[]> {
  return (await queryText<readonly [FileId]>(client, ranks, [tenantId, runId])).map(([fileId]) => fileId);
}

const bodies = {
  name: 'read-bodies-at',
  text: `
select c.body
from rows from (unnest($3::int8[]), unnest($4::int8[])) with ordinality k(file_id, first_ordinal, no)
join scalar_chunk c on c.tenant_id = $1 and c.series_id = $2 and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal
order by k.no`,
};

/** The undecoded points of these chunks of one series, in the given order. */
export async function readBodiesAt(
  { client, tenantId }: Snapshot,
  seriesId: SeriesId,
  chunks: readonly Pick<ChunkPlace, 'fileId' | 'firstOrdinal'>[],
): Promise<Buffer[]> {
  if (chunks.length === 0) return [];
  const rows = await queryText(client, bodies, [
    tenantId,
    seriesId,
    arrayParameter(chunks.map((chunk) => chunk.fileId)),
    arrayParameter(chunks.map((chunk) => chunk.firstOrdinal)),
  ]);
  return rows.map((row) => readBytes(row[0]!));
}
