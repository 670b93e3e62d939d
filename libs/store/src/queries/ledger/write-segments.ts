import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { acknowledgedChanges, receiveWorker } from '#progress';
import type { TenantScope } from '../../scope.ts';

/**
 * The location of a segment's bytes, and their encoding: 0 as they are, 1 zstd, 2 zstd of packed
 * records, 3 a block of columns. Exactly one of `body` and `objectKey` is set.
 */
export interface StoredBytes {
  readonly body: Uint8Array | null;
  readonly objectKey: string | null;
  readonly encoding: 0 | 1 | 2 | 3;
}

/** A durable range to be acknowledged. */
export interface NewSegment extends StoredBytes {
  readonly fileId: FileId;
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
  /** Null while it is beyond the contiguous prefix. */
  readonly epoch: number | null;
}

/** Inserts segments; their files must be locked. */
export async function insertSegments({ trx, tenantId }: TenantScope, segments: readonly NewSegment[]): Promise<void> {
  if (segments.length === 0) return;
  const rows = segments.map(
    (s) => sql`(${tenantId}, ${s.fileId}, ${s.offset}, ${s.length}, ${s.crc32c}, ${s.epoch}, ${s.encoding}, ${s.body}, ${s.objectKey})`,
  );
  await sql`/* insert-segments */
    insert into segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body, object_key) values ${sql.join(rows)}`.execute(
    trx,
  );
}

/** Sets the epoch of ranges that were beyond the prefix, once the prefix has reached them. */
export async function stampSegments(
  { trx, tenantId }: TenantScope,
  ranges: readonly { readonly fileId: FileId; readonly offset: number }[],
  epoch: number,
): Promise<void> {
  if (ranges.length === 0) return;
  await sql`/* stamp-segments */ update segment s set epoch = ${epoch}
    from unnest(${ranges.map(({ fileId }) => fileId)}::bigint[], ${ranges.map(({ offset }) => String(offset))}::bigint[]) as u(file_id, "offset")
    where s.tenant_id = ${tenantId} and s.file_id = u.file_id and s."offset" = u."offset"`.execute(trx);
}

/**
 * Adds ranges that are now part of the prefix to the pending segments, and writes the batch of the
 * epoch, which every assigned epoch needs, even without ranges.
 */
export async function insertPendingSegments(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  ranges: readonly { readonly runId: RunId; readonly fileId: FileId; readonly offset: number; readonly length: number }[],
  epoch: number,
): Promise<void> {
  const changes = JSON.stringify(acknowledgedChanges(epoch, ranges.length));
  const batch = sql`/* insert-pending-segments-progress-batch */
    insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
    values (${tenantId}, ${experimentId}, ${receiveWorker}, ${epoch}, ${changes}::json)`;
  if (ranges.length === 0) {
    await batch.execute(trx);
    return;
  }
  const rows = ranges.map((r) => sql`(${tenantId}, ${experimentId}, ${r.runId}, ${r.fileId}, ${r.offset}, ${r.length}, ${epoch})`);
  await sql`/* insert-pending-segments */ with told as (${batch})
    insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch) values ${sql.join(rows)}`.execute(trx);
}

/**
 * Updates the durable state of locked files. Each has new bytes, so it is no longer complete,
 * unless these bytes complete it: `complete`.
 */
export async function advanceFiles(
  { trx, tenantId }: TenantScope,
  files: readonly { readonly fileId: FileId; readonly durableOffset: number; readonly crc32c: number; readonly complete?: boolean }[],
): Promise<void> {
  // The time cannot be in CASE when tables are distributed; mostly, all files of an append are
  // alike.
  for (const completes of [false, true]) {
    const changed = files.filter(({ complete = false }) => complete === completes);
    if (changed.length === 0) continue;
    const completion = completes
      ? sql`completed_bytes = u.durable_offset, completed_at = now()`
      : sql`completed_bytes = null, completed_at = null`;
    await sql`/* advance-files */ update event_file f set durable_offset = u.durable_offset, crc32c = u.crc32c, sha256 = null, ${completion}
      from unnest(${changed.map(({ fileId }) => fileId)}::bigint[], ${changed.map(({ durableOffset }) => String(durableOffset))}::bigint[],
        ${changed.map(({ crc32c }) => String(crc32c))}::bigint[]) as u(file_id, durable_offset, crc32c)
      where f.tenant_id = ${tenantId} and f.file_id = u.file_id`.execute(trx);
  }
}
