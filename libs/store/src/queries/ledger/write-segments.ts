import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { acknowledgedChanges, receiveWorker } from '#progress';
import type { TenantScope } from '../../scope.ts';

/**
 * Where a segment's bytes are, and their encoding: 0 unchanged, 1 zstd, 2 zstd of packed records, 3
 * a column block. Exactly one of `body` and `objectKey` is set.
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
  /** Null while the range is beyond the contiguous prefix. */
  readonly epoch: number | null;
}

/** Inserts segments. Their files must be locked. */
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

/** Sets the epoch of ranges that were beyond the prefix once the prefix has reached them. */
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
 * Adds ranges that are now in the prefix to the pending segments, and writes the epoch's batch.
 * Every assigned epoch needs a batch, even without ranges.
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
