import { sql } from 'kysely';
import type { ExperimentId, FileId, SeriesId } from '#model';
import type { OperatorScope } from '../../scope.ts';

/** An object that a row refers to. */
export interface ReferredObject {
  readonly key: string;
  readonly experimentId: ExperimentId;
  /** Size of the object. Null if the row does not store it (compressed bytes). */
  readonly size: number | null;
  /** The event file bytes in this object. Null for blobs and tensors. */
  readonly range: FileRange | null;
}

/** Bytes of an event file. */
export interface FileRange {
  readonly fileId: FileId;
  readonly offset: number;
  readonly bytes: number;
  /** CRC-32C of the decoded bytes, and their encoding. Null for a joined original. */
  readonly segment: { readonly crc32c: number; readonly encoding: number } | null;
}

/** A page of objects, and where the next page starts. Null after the last page. */
export interface ReferredPage {
  readonly objects: readonly ReferredObject[];
  readonly next: readonly string[] | null;
}

/**
 * Lists, page by page, one kind of object that a tenant's rows refer to. `after` comes from the
 * previous page.
 */
export type ListReferred = (scope: OperatorScope, after: readonly string[] | null, limit: number) => Promise<ReferredPage>;

export const listReferredSegments: ListReferred = async ({ trx, tenantId }, after, limit) => {
  const { rows } = await sql<FileRow & { offset: string; length: number; crc32c: string; encoding: number }>`
    /* list-referred-segments */
    select s.object_key, s.file_id, f.experiment_id, s."offset", s.length, s.crc32c, s.encoding
    from segment s join event_file f on f.tenant_id = ${tenantId} and f.file_id = s.file_id
    where s.tenant_id = ${tenantId} and s.object_key is not null
      and (s.file_id, s."offset") > (${after?.[0] ?? '0'}::bigint, ${after?.[1] ?? '-1'}::bigint)
    order by s.file_id, s."offset" limit ${limit}`.execute(trx);
  const objects = rows.map(({ object_key: key, file_id: fileId, experiment_id: experimentId, ...row }): ReferredObject => ({
    key,
    experimentId,
    size: row.encoding === 0 ? row.length : null,
    range: { fileId, offset: Number(row.offset), bytes: row.length, segment: { crc32c: Number(row.crc32c), encoding: row.encoding } },
  }));
  return page(objects, rows, limit, (row) => [row.file_id, row.offset]);
};

export const listReferredOriginals: ListReferred = async ({ trx, tenantId }, after, limit) => {
  const { rows } = await sql<FileRow & { joined_bytes: string }>`
    /* list-referred-originals */
    select original_key as object_key, file_id, experiment_id, joined_bytes from event_file
    where tenant_id = ${tenantId} and original_key is not null and file_id > ${after?.[0] ?? '0'}::bigint
    order by file_id limit ${limit}`.execute(trx);
  const objects = rows.map(({ object_key: key, file_id: fileId, experiment_id: experimentId, joined_bytes: bytes }): ReferredObject => ({
    key,
    experimentId,
    size: null,
    range: { fileId, offset: 0, bytes: Number(bytes), segment: null },
  }));
  return page(objects, rows, limit, (row) => [row.file_id]);
};

export const listReferredTensors: ListReferred = async ({ trx, tenantId }, after, limit) => {
  const { rows } = await sql<{ object_key: string; experiment_id: ExperimentId; bytes: number }>`
    /* list-referred-tensors */
    select v.object_key, min(s.experiment_id) as experiment_id, max(v.bytes) as bytes
    from tensor_value v join series s on s.tenant_id = ${tenantId} and s.series_id = v.series_id
    where v.tenant_id = ${tenantId} and v.object_key is not null and v.object_key > ${after?.[0] ?? ''}
    group by v.object_key order by v.object_key limit ${limit}`.execute(trx);
  const objects = rows.map((row): ReferredObject => ({
    key: row.object_key,
    experimentId: row.experiment_id,
    size: row.bytes,
    range: null,
  }));
  return page(objects, rows, limit, (row) => [row.object_key]);
};

/** Lists an object once for each row that refers to it. */
export const listReferredBlobs: ListReferred = async ({ trx, tenantId }, after, limit) => {
  const { rows } = await sql<{
    series_id: SeriesId;
    file_id: FileId;
    ordinal: string;
    experiment_id: ExperimentId;
    hashes: (string | null)[];
    sizes: (string | null)[];
  }>`
    /* list-referred-blobs */
    select v.series_id, v.file_id, v.ordinal, s.experiment_id, v.blob_bytes as sizes,
      array(select encode(h, 'hex') from unnest(v.blob_sha256) with ordinality as u(h, n) order by n) as hashes
    from blob_sequence_value v join series s on s.tenant_id = ${tenantId} and s.series_id = v.series_id
    where v.tenant_id = ${tenantId}
      and (v.series_id, v.file_id, v.ordinal) > (${after?.[0] ?? '0'}::bigint, ${after?.[1] ?? '0'}::bigint, ${after?.[2] ?? '-1'}::bigint)
    order by v.series_id, v.file_id, v.ordinal limit ${limit}`.execute(trx);
  const objects = rows.flatMap(({ experiment_id: experimentId, hashes, sizes }) =>
    hashes.flatMap((hash, i): ReferredObject[] =>
      hash === null ? [] : [{ key: `blob/${hash}`, experimentId, size: Number(sizes[i]), range: null }],
    ),
  );
  return page(objects, rows, limit, (row) => [row.series_id, row.file_id, row.ordinal]);
};

interface FileRow {
  readonly object_key: string;
  readonly file_id: FileId;
  readonly experiment_id: ExperimentId;
}

function page<Row>(
  objects: readonly ReferredObject[],
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => readonly string[],
): ReferredPage {
  return { objects, next: rows.length < limit ? null : placeOf(rows.at(-1)!) };
}
