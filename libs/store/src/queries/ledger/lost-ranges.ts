import { sql } from 'kysely';
import type { FileId } from '#model';
import type { AnyScope, OperatorScope } from '../../scope.ts';

/** Why an object cannot be used: it is gone, has another size, or other bytes. */
export type LossReason = 'missing' | 'size' | 'damaged';

/** Bytes of an event file that an object held. */
export interface LostRange {
  readonly fileId: FileId;
  readonly objectKey: string;
  readonly offset: number;
  readonly bytes: number;
  readonly reason: LossReason;
}

/** Records ranges that the operator's check found lost. */
export async function writeLostRanges({ trx, tenantId }: OperatorScope, ranges: readonly LostRange[]): Promise<void> {
  if (ranges.length === 0) return;
  await sql`/* write-lost-ranges */ insert into lost_range (tenant_id, file_id, object_key, "offset", bytes, reason)
    select ${tenantId}::uuid, u.file_id, u.object_key, u."offset", u.bytes, u.reason
    from unnest(${ranges.map(({ fileId }) => fileId)}::bigint[], ${ranges.map(({ objectKey }) => objectKey)}::text[],
      ${ranges.map(({ offset }) => String(offset))}::bigint[], ${ranges.map(({ bytes }) => String(bytes))}::bigint[],
      ${ranges.map(({ reason }) => reason)}::text[]) as u(file_id, object_key, "offset", bytes, reason)
    on conflict (tenant_id, file_id, object_key) do update set reason = excluded.reason`.execute(trx);
}

/**
 * Removes the ranges of a tenant that are not among `objectKeys`: those objects are whole again, or
 * nothing refers to them. Returns how many were removed.
 */
export async function keepLostRanges({ trx, tenantId }: OperatorScope, objectKeys: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`/* keep-lost-ranges */ delete from lost_range
    where tenant_id = ${tenantId} and object_key <> all(${objectKeys}::text[])`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Those of the files that have a lost range. */
export async function listLostFiles({ trx, tenantId }: AnyScope, fileIds: readonly FileId[]): Promise<Set<FileId>> {
  if (fileIds.length === 0) return new Set();
  const { rows } = await sql<{ file_id: FileId }>`
    /* list-lost-files */
    select distinct l.file_id from lost_range l
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = l.file_id
    where l.tenant_id = ${tenantId} and l.file_id = any(${[...fileIds]}::bigint[])
      and (f.original_key = l.object_key or exists (
        select from segment s where s.tenant_id = ${tenantId} and s.file_id = l.file_id and s."offset" = l."offset" and s.object_key = l.object_key))`.execute(
    trx,
  );
  return new Set(rows.map((row) => row.file_id));
}

/** The first lost range of a file that shares a byte with `[start, end)`; null if there is none. */
export async function findLostRange(
  { trx, tenantId }: AnyScope,
  fileId: FileId,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Pick<LostRange, 'offset' | 'bytes'> | null> {
  const { rows } = await sql<{ offset: string; bytes: string }>`
    /* find-lost-range */
    select l."offset", l.bytes from lost_range l
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = l.file_id
    where l.tenant_id = ${tenantId} and l.file_id = ${fileId} and l."offset" < ${end} and l."offset" + l.bytes > ${start}
      and (f.original_key = l.object_key or exists (
        select from segment s where s.tenant_id = ${tenantId} and s.file_id = l.file_id and s."offset" = l."offset" and s.object_key = l.object_key))
    order by l."offset" limit 1`.execute(trx);
  const [row] = rows;
  return row ? { offset: Number(row.offset), bytes: Number(row.bytes) } : null;
}
