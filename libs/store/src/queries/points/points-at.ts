import { sql } from 'kysely';
import { type ExperimentId, type FileId, type RunId, seesTag, type SeriesId, type TagName, type View } from '#model';
import { arrayParameter, parameter, queryText, readBytes } from '../../text-result.ts';
import { nameHashes, runInView } from '../experiments/view-sql.ts';
import type { Snapshot } from '../../scope.ts';

/** A scalar series of a run. */
export interface RunSeries {
  readonly seriesId: SeriesId;
  readonly runId: RunId;
  readonly tag: TagName;
}

/**
 * The scalar series of these tags, without twins. A run with several writers has one series for
 * each.
 */
export async function listSeriesOfTags(
  { trx, tenantId }: Snapshot,
  request: {
    readonly experimentId: ExperimentId;
    /** Null: all. */
    readonly runIds: readonly RunId[] | null;
    readonly tags: readonly TagName[];
    readonly view: View | null;
  },
): Promise<RunSeries[]> {
  const tags = request.tags.filter((tag) => seesTag(request.view, tag));
  if (tags.length === 0 || request.runIds?.length === 0) return [];
  const runIds = request.runIds && [...request.runIds];
  const { rows } = await sql<{ series_id: SeriesId; run_id: RunId; tag: TagName }>`
    /* list-series-of-tags */
    select s.series_id, s.run_id, s.tag from run r join series s on s.tenant_id = ${tenantId} and s.run_id = r.run_id
    where r.tenant_id = ${tenantId} and r.experiment_id = ${request.experimentId} and r.deleted_at is null and (${runIds}::int8[] is null or r.run_id = any(${runIds}::int8[])) and ${runInView(tenantId, request.view)}
      and s.tag_hash = any(${nameHashes(tags)}::bytea[]) and not s.twin and s.data_class = 'scalar'`.execute(trx);
  return rows.map((row) => ({ seriesId: row.series_id, runId: row.run_id, tag: row.tag }));
}

/** A series' extreme. If several values are equal, the value with the smallest step. */
export interface Extreme {
  readonly step: bigint;
  readonly value: number;
}

const extremes = (summary: 'min' | 'max') => ({
  name: `read-${summary}-steps`,
  text: `
select q.series_id, e.step, e.value
from unnest(${parameter(2, 'int8')}) q(series_id),
lateral (
  select c.${summary}_step as step, c.${summary}_value as value from scalar_chunk c
  where c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded and c.${summary}_value is not null
  order by c.${summary}_value ${summary === 'min' ? 'asc' : 'desc'}, c.${summary}_step limit 1
) e`,
});
const smallest = extremes('min');
const largest = extremes('max');

/** The smallest or largest values in the chunks of these series. Ignores chunks with only NaN. */
export async function readExtremes(
  { client, tenantId }: Snapshot,
  seriesIds: readonly SeriesId[],
  summary: 'min' | 'max',
): Promise<Map<SeriesId, Extreme>> {
  if (seriesIds.length === 0) return new Map();
  const statement = summary === 'min' ? smallest : largest;
  const rows = await queryText<readonly [SeriesId, string, string]>(client, statement, [tenantId, arrayParameter(seriesIds)]);
  return new Map(rows.map(([seriesId, step, value]) => [seriesId, { step: BigInt(step), value: Number(value) }]));
}

/** {@link readBodiesOf} reads larger bodies, in batches of limited size. */
const maxBodyBytes = 2_048;

/** A chunk that starts at or before a step. */
export interface ChunkAt {
  readonly fileId: FileId;
  readonly firstOrdinal: string;
  readonly count: number;
  readonly lastStep: bigint;
  readonly lastValue: number;
  readonly lastWall: number;
  readonly bodyBytes: number;
  /** The chunk's undecoded points, if they end after the step and are few. */
  readonly body: Buffer | null;
}

const at: { readonly name: string; readonly text: string } = {
  name: 'list-chunks-at',
  text: `
select q.no, c.file_id, c.first_ordinal, c.count, c.last_step, c.last_value, c.last_wall, octet_length(c.body),
  case when c.last_step > q.step and octet_length(c.body) <= ${maxBodyBytes} then c.body end
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')})) with ordinality q(series_id, step, no),
lateral (
  select e.file_id, e.first_ordinal, e.count, e.last_step, e.last_value, e.last_wall, e.body from scalar_chunk e
  where e.tenant_id = $1 and e.series_id = q.series_id and not e.superseded and e.first_step <= q.step
  order by e.first_step desc limit 1
) c`,
};

/**
 * For each series and step (by index), the last effective chunk that starts at the step or earlier.
 */
export async function listChunksAt(
  { client, tenantId }: Snapshot,
  wanted: readonly { readonly seriesId: SeriesId; readonly step: bigint }[],
): Promise<Map<number, ChunkAt>> {
  if (wanted.length === 0) return new Map();
  const columns = [wanted.map(({ seriesId }) => seriesId), wanted.map(({ step }) => step)];
  const rows = await queryText<readonly [string, FileId, string, string, string, string, string, string, string | null]>(client, at, [
    tenantId,
    ...columns.map(arrayParameter),
  ]);
  return new Map(
    rows.map(([no, fileId, firstOrdinal, count, lastStep, lastValue, lastWall, bodyBytes, body]) => [
      Number(no) - 1,
      {
        fileId,
        firstOrdinal,
        count: Number(count),
        lastStep: BigInt(lastStep),
        lastValue: Number(lastValue),
        lastWall: Number(lastWall),
        bodyBytes: Number(bodyBytes),
        body: body === null ? null : readBytes(body),
      },
    ]),
  );
}

const bodies = {
  name: 'read-bodies-of-chunks',
  text: `
select q.no, c.body
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')})) with ordinality q(series_id, file_id, first_ordinal, no)
join scalar_chunk c on c.tenant_id = $1 and c.series_id = q.series_id and c.file_id = q.file_id and c.first_ordinal = q.first_ordinal`,
};

/** The undecoded points of these chunks, in the same order. */
export async function readBodiesOf(
  { client, tenantId }: Snapshot,
  chunks: readonly (Pick<ChunkAt, 'fileId' | 'firstOrdinal'> & { readonly seriesId: SeriesId })[],
): Promise<Buffer[]> {
  const columns = [chunks.map(({ seriesId }) => seriesId), chunks.map(({ fileId }) => fileId), chunks.map((one) => one.firstOrdinal)];
  const rows = await queryText<readonly [string, string]>(client, bodies, [tenantId, ...columns.map(arrayParameter)]);
  const found: Buffer[] = [];
  for (const [no, body] of rows) found[Number(no) - 1] = readBytes(body);
  return found;
}
