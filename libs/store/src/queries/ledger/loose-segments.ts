import { sql } from 'kysely';
import type { FileId } from '#model';
import { lostReason, readingFailsReason } from './quarantine-record.ts';
import type { AnyScope, TenantScope } from '../../scope.ts';

/** A segment whose bytes are settled. Excludes the bytes themselves. */
export interface SettledSegment {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
  readonly epoch: number;
  readonly objectKey: string | null;
}

/** Which segments of a file may be joined. */
export interface LooseBounds {
  /** Only segments that start here or later. */
  readonly from: number;
  /** Only shorter ones. */
  readonly shorterThan: number;
  /**
   * Only segments received before this time, because a client may resend a recent range with
   * exactly the same bounds.
   */
  readonly minAgeMs: number;
}

/**
 * At most `limit` short segments of an incomplete file, in order. Returns only segments that no
 * worker needs anymore, because they are ingested and not pending. Excludes files that may be read
 * again from where they ended (`reopenFiles`).
 */
export async function readLooseSegments(
  { trx, tenantId }: AnyScope,
  fileId: FileId,
  { from, shorterThan, minAgeMs }: LooseBounds,
  limit: number,
): Promise<SettledSegment[]> {
  const { rows } = await sql<SegmentRow>`
    /* read-loose-segments */
    select s."offset", s.length, s.crc32c, s.epoch, s.object_key
    from event_file f
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    join segment s on s.tenant_id = ${tenantId} and s.file_id = f.file_id
    where f.tenant_id = ${tenantId} and f.file_id = ${fileId} and f.completed_bytes is distinct from f.durable_offset
      and s."offset" >= ${from} and s.epoch is not null and s.length < ${shorterThan}
      and s.received_at < now() - make_interval(secs => ${minAgeMs / 1000})
      and s."offset" + s.length <= least(case when p.ended then f.durable_offset else p.parsed_offset end, coalesce((
        select min(q."offset") from pending_segment q where q.tenant_id = ${tenantId} and q.experiment_id = f.experiment_id
          and q.run_id = f.run_id and q.file_id = f.file_id), f.durable_offset))
      and not exists (select from file_problem b where b.tenant_id = ${tenantId} and b.file_id = f.file_id
        and b.ends_file and b.reason in (${lostReason}, ${readingFailsReason}))
    order by s."offset" limit ${limit}`.execute(trx);
  return rows.map(toSegment);
}

/** Removes a locked file's segments that start in `[start, end)`, and returns them in order. */
export async function takeSegments({ trx, tenantId }: TenantScope, fileId: FileId, start: number, end: number): Promise<SettledSegment[]> {
  const { rows } = await sql<SegmentRow>`
    /* take-segments */
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" >= ${start} and "offset" < ${end}
    returning "offset", length, crc32c, epoch, object_key`.execute(trx);
  return rows.map(toSegment).sort((a, b) => a.offset - b.offset);
}

interface SegmentRow {
  offset: string;
  length: number;
  crc32c: string;
  epoch: string | null;
  object_key: string | null;
}

function toSegment(row: SegmentRow): SettledSegment {
  return {
    offset: Number(row.offset),
    length: row.length,
    crc32c: Number(row.crc32c),
    epoch: Number(row.epoch),
    objectKey: row.object_key,
  };
}
