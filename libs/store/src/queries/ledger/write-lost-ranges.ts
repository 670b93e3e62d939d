import { sql } from 'kysely';
import type { FileId } from '#model';
import type { OperatorScope } from '../../scope.ts';

/** Why an object cannot be used: it is missing, or its size or bytes are different. */
export type LossReason = 'missing' | 'size' | 'damaged';

/** Event file bytes that were in an object. */
export interface LostRange {
  readonly fileId: FileId;
  readonly objectKey: string;
  readonly offset: number;
  readonly bytes: number;
  readonly reason: LossReason;
}

/** Records ranges that the operator's check has found lost. */
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
 * Removes a tenant's ranges with objects that are not among `objectKeys`: these objects are intact
 * again, or nothing refers to them. Returns how many were removed.
 */
export async function keepLostRanges({ trx, tenantId }: OperatorScope, objectKeys: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`/* keep-lost-ranges */ delete from lost_range
    where tenant_id = ${tenantId} and object_key <> all(${objectKeys}::text[])`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
