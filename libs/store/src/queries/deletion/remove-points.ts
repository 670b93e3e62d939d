import { sql, type RawBuilder } from 'kysely';
import type { SeriesId } from '#model';
import type { ObjectToDelete } from './objects-to-delete.ts';
import { removeRollups } from '../points/shorten-rollups.ts';
import type { ValueTable } from '../points/write-values.ts';
import type { TenantScope } from '../../scope.ts';
import type { DoomedPoints } from './list-doomed-series.ts';

/**
 * The data that a statement has removed. `bytes` is the size of the row bodies, and `objects` are
 * the objects that the rows referred to.
 */
export interface RemovedRows {
  readonly rows: number;
  readonly points: number;
  readonly bytes: number;
  /** Bytes of tensors and blobs, wherever they are stored. */
  readonly valueBytes: number;
  /** Bytes of the kept ranges beyond a prefix. */
  readonly keptBytes: number;
  readonly objects: readonly ObjectToDelete[];
}

/** Removes at most `limit` of these series' chunks, and their rollups. */
export async function removeChunks(scope: TenantScope, seriesIds: readonly SeriesId[], limit: number): Promise<RemovedRows> {
  const { trx, tenantId } = scope;
  const ids = [...seriesIds];
  await removeRollups(scope, ids);
  const { rows } = await sql<{ rows: string; points: string; bytes: string }>`
    /* remove-chunks */
    with gone as (
      delete from scalar_chunk c using (
        select d.series_id, d.file_id, d.first_ordinal from scalar_chunk d
        where d.tenant_id = ${tenantId} and d.series_id = any(${ids}::bigint[]) limit ${limit}) d
      where c.tenant_id = ${tenantId} and c.series_id = d.series_id and c.file_id = d.file_id and c.first_ordinal = d.first_ordinal
      returning c.count, octet_length(c.body) as bytes)
    select count(*) as rows, coalesce(sum(count), 0) as points, coalesce(sum(bytes), 0) as bytes from gone`.execute(trx);
  const row = rows[0]!;
  return { rows: Number(row.rows), points: Number(row.points), bytes: Number(row.bytes), valueBytes: 0, keptBytes: 0, objects: [] };
}

/** Removes at most `limit` tensors or blob sequences. Other rows may refer to the same objects. */
export async function removeValues(
  { trx, tenantId }: TenantScope,
  table: ValueTable,
  points: DoomedPoints,
  limit: number,
): Promise<RemovedRows> {
  const columns: RawBuilder<unknown> =
    table === 'tensor_value'
      ? sql`case when v.object_key is null then '{}' else array[v.object_key] end as keys,
          array[v.bytes]::bigint[] as sizes, coalesce(octet_length(v.body), 0) as bytes`
      : sql`array(select case when h is null then null else 'blob/' || encode(h, 'hex') end from unnest(v.blob_sha256) with ordinality u(h, n) order by n) as keys,
          v.blob_bytes as sizes, 0 as bytes`;
  const { rows } = await sql<{ keys: (string | null)[]; sizes: string[]; bytes: number }>`
    /* remove-values */
    delete from ${sql.table(table)} v using (
      select d.series_id, d.file_id, d.ordinal from ${sql.table(table)} d
      where d.tenant_id = ${tenantId} and d.series_id = any(${[...points.seriesIds]}::bigint[])
        and (${points.fromStep?.toString() ?? null}::bigint is null or d.step >= ${points.fromStep?.toString() ?? null}::bigint)
        and (${points.toStep?.toString() ?? null}::bigint is null or d.step <= ${points.toStep?.toString() ?? null}::bigint)
      limit ${limit}) d
    where v.tenant_id = ${tenantId} and v.series_id = d.series_id and v.file_id = d.file_id and v.ordinal = d.ordinal
    returning ${columns}`.execute(trx);
  const objects = rows.flatMap((row) =>
    row.keys.flatMap((objectKey, i) => (objectKey === null ? [] : [{ objectKey, bytes: Number(row.sizes[i] ?? 0) }])),
  );
  return {
    rows: rows.length,
    points: rows.length,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    valueBytes: rows.reduce((sum, row) => row.sizes.reduce((all, size) => all + Number(size), sum), 0),
    keptBytes: 0,
    objects,
  };
}
