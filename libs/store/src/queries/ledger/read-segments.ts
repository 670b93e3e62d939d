import { sql } from 'kysely';
import type { FileId } from '#model';
import type { StoredBytes } from './write-segments.ts';
import type { AnyScope } from '../../scope.ts';

/** A segment of the contiguous prefix, and where its bytes are. */
export interface StoredSegment extends StoredBytes {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
}

/**
 * At most `limit` segments of the file's contiguous prefix that share a byte with `[start, end)`,
 * in order. Segments of the prefix are contiguous, so the read begins at the last segment that does
 * not start after `start`. A live run may have a hundred thousand tiny segments before it.
 */
export async function readSegments(
  { trx, tenantId }: AnyScope,
  fileId: FileId,
  { start, end }: { readonly start: number; readonly end: number },
  limit: number,
): Promise<StoredSegment[]> {
  const { rows } = await sql<{
    offset: string;
    length: number;
    crc32c: string;
    encoding: number;
    body: Buffer | null;
    object_key: string | null;
  }>`
    /* prepared: read-segments */ select "offset", length, crc32c, encoding, body, object_key from segment
    where tenant_id = ${tenantId} and file_id = ${fileId} and epoch is not null
      and "offset" < ${end} and "offset" + length > ${start} and "offset" >= coalesce((
        select max(s."offset") from segment s
        where s.tenant_id = ${tenantId} and s.file_id = ${fileId} and s.epoch is not null and s."offset" <= ${start}), 0)
    order by "offset" limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    offset: Number(row.offset),
    length: row.length,
    crc32c: Number(row.crc32c),
    encoding: row.encoding as StoredBytes['encoding'],
    body: row.body,
    objectKey: row.object_key,
  }));
}
