import { sql } from 'kysely';
import { type FileId, limits } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A segment without its bytes. */
export interface SegmentRange {
  readonly fileId: FileId;
  readonly offset: number;
  readonly length: number;
  /** Over the decoded bytes. */
  readonly crc32c: number;
  /** Null while the segment is beyond the contiguous prefix. */
  readonly epoch: number | null;
}

/**
 * The ranges of these files that start at or after `from`, ordered by file and offset. If `from` is
 * the durable offset, these are the ranges kept beyond the prefix.
 */
export async function readRangesFrom(
  { trx, tenantId }: TenantScope,
  files: readonly { readonly fileId: FileId; readonly from: number }[],
): Promise<SegmentRange[]> {
  const { rows } = await sql<RangeRow>`
    /* read-ranges-from */
    select s.file_id, s."offset", s.length, s.crc32c, s.epoch
    from unnest(${files.map(({ fileId }) => fileId)}::bigint[], ${files.map(({ from }) => String(from))}::bigint[]) as u(file_id, "from")
    join segment s on s.tenant_id = ${tenantId} and s.file_id = u.file_id and s."offset" >= u."from"
    order by s.file_id, s."offset"`.execute(trx);
  return rows.map(toRange);
}

/** The ranges that share a byte with any `[start, end)`, once for each overlap. */
export async function readOverlaps(
  { trx, tenantId }: TenantScope,
  ranges: readonly { readonly fileId: FileId; readonly start: number; readonly end: number }[],
): Promise<SegmentRange[]> {
  // No segment is longer than the maximum append. This bounds how far back the index is read.
  const { rows } = await sql<RangeRow>`
    /* read-overlaps */
    select s.file_id, s."offset", s.length, s.crc32c, s.epoch
    from unnest(${ranges.map(({ fileId }) => fileId)}::bigint[], ${ranges.map(({ start }) => String(start))}::bigint[],
      ${ranges.map(({ end }) => String(end))}::bigint[]) as u(file_id, first, "end")
    join segment s on s.tenant_id = ${tenantId} and s.file_id = u.file_id
      and s."offset" < u."end" and s."offset" > u.first - ${limits.maxAppendBytes}::bigint and s."offset" + s.length > u.first`.execute(
    trx,
  );
  return rows.map(toRange);
}

interface RangeRow {
  file_id: FileId;
  offset: string;
  length: number;
  crc32c: string;
  epoch: string | null;
}

function toRange(row: RangeRow): SegmentRange {
  return {
    fileId: row.file_id,
    offset: Number(row.offset),
    length: row.length,
    crc32c: Number(row.crc32c),
    epoch: row.epoch === null ? null : Number(row.epoch),
  };
}
