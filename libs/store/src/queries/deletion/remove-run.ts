import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import type { RemovedRows } from './remove-series.ts';
import { addStoredBytes } from '../ledger/add-stored-bytes.ts';
import { dropPendingSegments } from '../progress/drop-pending.ts';
import { lockUploaderSequences } from '../uploader/uploader-sequences.ts';
import type { TenantScope } from '../../scope.ts';

/** At most `limit` runs of an experiment, deleted or not. */
export async function listRunIds({ trx, tenantId }: TenantScope, experimentId: ExperimentId, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ run_id: RunId }>`
    /* list-run-ids */
    select run_id from run where tenant_id = ${tenantId} and experiment_id = ${experimentId} order by run_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.run_id);
}

/** At most `limit` files of a run. */
export async function listRunFileIds({ trx, tenantId }: TenantScope, runId: RunId, limit: number): Promise<FileId[]> {
  const { rows } = await sql<{ file_id: FileId }>`
    /* list-run-file-ids */
    select file_id from event_file where tenant_id = ${tenantId} and run_id = ${runId} order by file_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.file_id);
}

/** Removes at most `limit` segments of these files. */
export async function removeSegments({ trx, tenantId }: TenantScope, fileIds: readonly FileId[], limit: number): Promise<RemovedRows> {
  const { rows } = await sql<{ object_key: string | null; length: number; kept: boolean; bytes: number }>`
    /* remove-segments */
    delete from segment s using (
      select d.file_id, d."offset" from segment d
      where d.tenant_id = ${tenantId} and d.file_id = any(${[...fileIds]}::bigint[]) limit ${limit}) d
    where s.tenant_id = ${tenantId} and s.file_id = d.file_id and s."offset" = d."offset"
    returning s.object_key, s.length, s.epoch is null as kept, coalesce(octet_length(s.body), 0) as bytes`.execute(trx);
  return {
    rows: rows.length,
    points: 0,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    valueBytes: 0,
    keptBytes: rows.reduce((sum, row) => sum + (row.kept ? row.length : 0), 0),
    objects: rows.flatMap((row) => (row.object_key === null ? [] : [{ objectKey: row.object_key, bytes: row.length }])),
  };
}

/** A file that was removed. */
export interface RemovedFile {
  readonly durableOffset: number;
  readonly originalKey: string | null;
}

/**
 * Removes files that have no segments anymore. An append locks the file's row, so nothing can be
 * added afterwards; a file that got a segment in the meantime is left for the next call. Reduces
 * the experiment's byte counts.
 */
export async function removeFiles(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  fileIds: readonly FileId[],
): Promise<RemovedFile[]> {
  const ids = [...fileIds];
  await sql`/* remove-files-event-file */
    select 1 from event_file where tenant_id = ${tenantId} and file_id = any(${ids}::bigint[]) order by file_id for update`.execute(trx);
  const { rows } = await sql<{ durable_offset: string; dropped_bytes: string; original_key: string | null }>`
    /* remove-files-delete-event-file */
    delete from event_file f where f.tenant_id = ${tenantId} and f.file_id = any(${ids}::bigint[])
      and not exists (select 1 from segment s where s.tenant_id = ${tenantId} and s.file_id = f.file_id)
    returning f.durable_offset, f.dropped_bytes, f.original_key`.execute(trx);
  const bytes = rows.reduce((sum, row) => sum + Number(row.durable_offset), 0);
  const dropped = rows.reduce((sum, row) => sum + Number(row.dropped_bytes), 0);
  if (bytes > 0) {
    await sql`/* remove-files-experiment-epoch */
      update experiment_epoch set acknowledged_bytes = acknowledged_bytes - ${bytes}, stored_bytes = stored_bytes - ${bytes - dropped}
      where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  }
  return rows.map((row) => ({ durableOffset: Number(row.durable_offset), originalKey: row.original_key }));
}

/** Removes a run's pending segments from the ledger. */
export async function removePendingSegments(scope: TenantScope, experimentId: ExperimentId, runId: RunId): Promise<void> {
  await dropPendingSegments(scope, experimentId, [runId]);
}

/**
 * Removes the row of a run with everything that belongs to it. If another file of it was announced
 * meanwhile, returns null, and its files must be removed first. Nothing can be added to the run
 * afterwards. Returns what its tail held.
 */
export async function removeRun(
  scope: TenantScope,
  experimentId: ExperimentId,
  runId: RunId,
): Promise<{ points: number; bytes: number } | null> {
  const { trx, tenantId } = scope;
  // New files and series of the run wait for this lock, and then find no run.
  await sql`/* remove-run */ select 1 from run where tenant_id = ${tenantId} and run_id = ${runId} for update`.execute(trx);
  const { rows } = await sql`
    /* remove-run-event-file */
    select 1 where exists (select 1 from event_file where tenant_id = ${tenantId} and run_id = ${runId})
      or exists (select 1 from series where tenant_id = ${tenantId} and run_id = ${runId})`.execute(trx);
  if (rows.length > 0) return null;
  await removePendingSegments(scope, experimentId, runId);
  const { rows: tails } = await sql<{ points: string; bytes: string }>`
    /* remove-run-run-tail */
    select coalesce(sum(points), 0) as points, coalesce(sum(octet_length(body)), 0) as bytes
    from run_tail where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  const sequenceBytes = await lockUploaderSequences(scope, runId);
  await sql`/* remove-run-run */ delete from run where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  await addStoredBytes(scope, experimentId, -sequenceBytes);
  return { points: Number(tails[0]!.points), bytes: Number(tails[0]!.bytes) };
}
