import { sql, type Kysely } from 'kysely';
import { limits } from '#model';
import type { Database } from '../database.ts';
import type { ObjectToDelete } from './objects-to-delete.ts';

/** How far a file was read, and how far what was read is settled. */
export interface ReadProgress {
  /** Bytes before this are not needed any more to go on reading. */
  readonly readTo: number;
  /** The first bytes that are not kept any more. */
  readonly droppedBytes: number;
  readonly originalKey: string | null;
  readonly joinedBytes: number;
  readonly experimentId: string;
}

/** Null when the file is gone. */
export async function readFileProgress(trx: Kysely<Database>, tenantId: string, fileId: string): Promise<ReadProgress | null> {
  const { rows } = await sql<{
    read_to: string;
    dropped_bytes: string;
    original_key: string | null;
    joined_bytes: string;
    experiment_id: string;
  }>`
    select case when p.ended then coalesce(
        (select min(s."offset") from pending_segment s where s.tenant_id = ${tenantId} and s.experiment_id = f.experiment_id
          and s.run_id = f.run_id and s.file_id = f.file_id), f.durable_offset)
      else p.parsed_offset end as read_to, f.dropped_bytes, f.original_key, f.joined_bytes, f.experiment_id
    from event_file f join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    where f.tenant_id = ${tenantId} and f.file_id = ${fileId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  return {
    readTo: Number(row.read_to),
    droppedBytes: Number(row.dropped_bytes),
    originalKey: row.original_key,
    joinedBytes: row.original_key === null ? 0 : Number(row.joined_bytes),
    experimentId: row.experiment_id,
  };
}

/** End of the segment that has the byte at `offset`; null when none has it, or it begins there. */
export async function readSegmentEnd(trx: Kysely<Database>, tenantId: string, fileId: string, offset: number): Promise<number | null> {
  const { rows } = await sql<{ end: string }>`
    select "offset" + length as end from segment
    where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${offset} and "offset" > ${offset}::bigint - ${limits.maxAppendBytes}::bigint and "offset" + length > ${offset}`.execute(
    trx,
  );
  return rows[0] ? Number(rows[0].end) : null;
}

/** Removes the segments that begin before `end`; their objects, and the bytes of those that were in rows. */
export async function takeSegmentsBefore(
  trx: Kysely<Database>,
  tenantId: string,
  fileId: string,
  end: number,
): Promise<{ objects: ObjectToDelete[]; bytes: number }> {
  const { rows } = await sql<{ object_key: string | null; length: number; bytes: number }>`
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key, length, coalesce(octet_length(body), 0) as bytes`.execute(trx);
  return {
    objects: rows.flatMap((row) => (row.object_key === null ? [] : [{ objectKey: row.object_key, bytes: row.length }])),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}

/** From now on the first `droppedBytes` of a locked file are not kept, and no object has its bytes. */
export async function setDropped(trx: Kysely<Database>, tenantId: string, fileId: string, droppedBytes: number): Promise<void> {
  await sql`update event_file set original_key = null, joined_bytes = 0, dropped_bytes = ${droppedBytes}
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
