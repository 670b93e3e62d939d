import { sql } from 'kysely';
import { type ExperimentId, type FileId, limits } from '#model';
import type { AnyScope } from '../../scope.ts';

/** How much of a file was read, and how much of that is settled. */
export interface ReadProgress {
  /** Bytes before this offset are no longer needed to continue reading. */
  readonly readTo: number;
  /** The length of the prefix that is no longer kept. */
  readonly droppedBytes: number;
  /** The length of the prefix that is kept without deleted points. */
  readonly rewrittenBytes: number;
  /** CRC-32C of the rewritten bytes as received. Null if there are none. */
  readonly receivedCrc32c: number | null;
  /** End of the last record that was read. */
  readonly parsedOffset: number;
  readonly durableOffset: number;
  readonly originalKey: string | null;
  readonly joinedBytes: number;
  readonly experimentId: ExperimentId;
}

/** Null if the file does not exist. */
export async function readFileProgress({ trx, tenantId }: AnyScope, fileId: FileId): Promise<ReadProgress | null> {
  const { rows } = await sql<{
    read_to: string;
    dropped_bytes: string;
    rewritten_bytes: string;
    received_crc32c: string | null;
    parsed_offset: string;
    durable_offset: string;
    original_key: string | null;
    joined_bytes: string;
    experiment_id: ExperimentId;
  }>`
    /* read-file-progress */
    select case when p.ended then coalesce(
        (select min(s."offset") from pending_segment s where s.tenant_id = ${tenantId} and s.experiment_id = f.experiment_id
          and s.run_id = f.run_id and s.file_id = f.file_id), f.durable_offset)
      else p.parsed_offset end as read_to, f.dropped_bytes, f.rewritten_bytes, f.received_crc32c, p.parsed_offset,
      f.durable_offset, f.original_key, f.joined_bytes, f.experiment_id
    from event_file f join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    where f.tenant_id = ${tenantId} and f.file_id = ${fileId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  return {
    readTo: Number(row.read_to),
    droppedBytes: Number(row.dropped_bytes),
    rewrittenBytes: Number(row.rewritten_bytes),
    receivedCrc32c: row.received_crc32c === null ? null : Number(row.received_crc32c),
    parsedOffset: Number(row.parsed_offset),
    durableOffset: Number(row.durable_offset),
    originalKey: row.original_key,
    joinedBytes: row.original_key === null ? 0 : Number(row.joined_bytes),
    experimentId: row.experiment_id,
  };
}

/**
 * End of the segment that contains the byte at `offset`. Null if no segment contains it, or if a
 * segment starts there.
 */
export async function readSegmentEnd({ trx, tenantId }: AnyScope, fileId: FileId, offset: number): Promise<number | null> {
  const { rows } = await sql<{ end: string }>`
    /* read-segment-end */
    select "offset" + length as end from segment
    where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${offset} and "offset" > ${offset}::bigint - ${limits.maxAppendBytes}::bigint and "offset" + length > ${offset}`.execute(
    trx,
  );
  return rows[0] ? Number(rows[0].end) : null;
}
