import { sql } from 'kysely';
import type { FileId, RunId, SeriesId } from '#model';
import type { ValueTable } from '../points/write-values.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * The points that a deletion would remove: all points of these tags (null means all tags) at these
 * steps (inclusive; null means no bound).
 */
export interface DoomedSelection {
  readonly runIds: readonly RunId[];
  readonly tagHashes: readonly Buffer[] | null;
  readonly fromStep: bigint | null;
  readonly toStep: bigint | null;
}

/** Points, and the files that they were logged in. */
export interface CountedPoints {
  readonly points: number;
  readonly fileIds: readonly FileId[];
}

/**
 * How much data a set of runs stores. `points` includes superseded points, and `bytes` is the size
 * of kept event files.
 */
export interface RunTotals {
  readonly runs: number;
  readonly files: number;
  readonly series: number;
  readonly points: number;
  readonly bytes: number;
}

/** The data that deleting these runs would remove. */
export async function countRuns({ trx, tenantId }: TenantScope, runIds: readonly RunId[]): Promise<RunTotals> {
  const ids = [...runIds];
  const { rows } = await sql<Record<keyof RunTotals, string>>`
    /* count-runs */
    select count(*) as runs, coalesce(sum(f.files), 0) as files, coalesce(sum(s.series), 0) as series, coalesce(sum(s.points), 0) as points,
      coalesce(sum(f.bytes), 0) as bytes
    from run r
    left join run_state s on s.tenant_id = ${tenantId} and s.run_id = r.run_id
    left join lateral (
      select count(*) as files, sum(e.durable_offset - e.dropped_bytes) as bytes from event_file e
      where e.tenant_id = ${tenantId} and e.run_id = r.run_id) f on true
    where r.tenant_id = ${tenantId} and r.run_id = any(${ids}::bigint[]) and r.deleted_at is null`.execute(trx);
  const row = rows[0]!;
  return {
    runs: Number(row.runs),
    files: Number(row.files),
    series: Number(row.series),
    points: Number(row.points),
    bytes: Number(row.bytes),
  };
}

/** The ids of the series from which a deletion would remove points. */
export async function listSelectedSeries(
  { trx, tenantId }: TenantScope,
  { runIds, tagHashes }: Pick<DoomedSelection, 'runIds' | 'tagHashes'>,
): Promise<SeriesId[]> {
  const { rows } = await sql<{ series_id: SeriesId }>`
    /* list-selected-series */
    select series_id from series where tenant_id = ${tenantId} and run_id = any(${[...runIds]}::bigint[])
      and (${tagHashes === null} or tag_hash = any(${[...(tagHashes ?? [])]}::bytea[]))`.execute(trx);
  return rows.map((row) => row.series_id);
}

/** Steps, inclusive. Null means no bound. */
interface Steps {
  readonly fromStep: bigint | null;
  readonly toStep: bigint | null;
}

/** Scalars in chunks that are completely within the step range. */
export async function countWholeChunks(
  { trx, tenantId }: TenantScope,
  seriesIds: readonly SeriesId[],
  { fromStep, toStep }: Steps,
): Promise<CountedPoints> {
  const [from, to] = [fromStep?.toString() ?? null, toStep?.toString() ?? null];
  const { rows } = await sql<{ points: string; files: FileId[] | null }>`
    /* count-whole-chunks */
    select coalesce(sum(count), 0) as points, array_agg(distinct file_id::text) as files from scalar_chunk
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[])
      and ((${from}::bigint is null and ${to}::bigint is null)
        or (not superseded and (${from}::bigint is null or first_step >= ${from}::bigint) and (${to}::bigint is null or last_step <= ${to}::bigint)))`.execute(
    trx,
  );
  return { points: Number(rows[0]!.points), fileIds: rows[0]!.files ?? [] };
}

/**
 * A chunk that may have points both inside and outside the range, because the steps of a superseded
 * chunk are unordered.
 */
export interface CutChunk {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly firstOrdinal: string;
  readonly count: number;
  readonly body: Buffer;
}

/** At most `limit` chunks that are partly within the step range, after `after` in key order. */
export async function readCutChunks(
  { trx, tenantId }: TenantScope,
  seriesIds: readonly SeriesId[],
  { fromStep, toStep }: Steps,
  limit: number,
  after: Pick<CutChunk, 'seriesId' | 'fileId' | 'firstOrdinal'> | null,
): Promise<CutChunk[]> {
  const [from, to] = [fromStep?.toString() ?? null, toStep?.toString() ?? null];
  const { seriesId, fileId, firstOrdinal } = after ?? { seriesId: '0', fileId: '0', firstOrdinal: '0' };
  const { rows } = await sql<{ series_id: SeriesId; file_id: FileId; first_ordinal: string; count: number; body: Buffer }>`
    /* read-cut-chunks */
    select series_id, file_id, first_ordinal, count, body from scalar_chunk
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[])
      and (series_id, file_id, first_ordinal) > (${seriesId}::bigint, ${fileId}::bigint, ${firstOrdinal}::bigint)
      and (superseded or ((${from}::bigint is null or last_step >= ${from}::bigint) and (${to}::bigint is null or first_step <= ${to}::bigint)
        and not ((${from}::bigint is null or first_step >= ${from}::bigint) and (${to}::bigint is null or last_step <= ${to}::bigint))))
    order by series_id, file_id, first_ordinal limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    seriesId: row.series_id,
    fileId: row.file_id,
    firstOrdinal: row.first_ordinal,
    count: row.count,
    body: row.body,
  }));
}

/** Tensors or blob sequences at these steps. */
export async function countValues(
  { trx, tenantId }: TenantScope,
  table: ValueTable,
  seriesIds: readonly SeriesId[],
  { fromStep, toStep }: Steps,
): Promise<CountedPoints> {
  const [from, to] = [fromStep?.toString() ?? null, toStep?.toString() ?? null];
  const { rows } = await sql<{ points: string; files: FileId[] | null }>`
    /* count-values */
    select count(*) as points, array_agg(distinct file_id::text) as files from ${sql.table(table)}
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[])
      and (${from}::bigint is null or step >= ${from}::bigint) and (${to}::bigint is null or step <= ${to}::bigint)`.execute(trx);
  return { points: Number(rows[0]!.points), fileIds: rows[0]!.files ?? [] };
}

/** How many of these files and their copies still have their first bytes, and their total bytes. */
export async function countKeptFiles(
  { trx, tenantId }: TenantScope,
  fileIds: readonly FileId[],
): Promise<{ files: number; bytes: number }> {
  const ids = [...fileIds];
  const { rows } = await sql<{ files: string; bytes: string }>`
    /* count-kept-files */
    select count(*) as files, coalesce(sum(f.durable_offset), 0) as bytes from event_file f
    left join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    where f.tenant_id = ${tenantId} and f.dropped_bytes = 0 and (f.file_id = any(${ids}::bigint[]) or p.copy_of = any(${ids}::bigint[]))`.execute(
    trx,
  );
  return { files: Number(rows[0]!.files), bytes: Number(rows[0]!.bytes) };
}
