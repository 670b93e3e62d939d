import { sql, type RawBuilder } from 'kysely';
import type { ExperimentId, FileId, RunId, TenantId } from '#model';
import type { TenantScope, AnyScope } from '../../scope.ts';

/** An event file as recorded in the ledger. */
export interface LedgerFile {
  readonly fileId: FileId;
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly name: string;
  readonly version: number;
  readonly durableOffset: number;
  readonly crc32c: number;
  /** Null while the file is incomplete. */
  readonly completedBytes: number | null;
  /** The object that contains the joined first bytes of the file. Segments continue after them. */
  readonly originalKey: string | null;
  /** The length of the prefix that is no longer kept. 0 means that all bytes are kept. */
  readonly droppedBytes: number;
  /**
   * The length of the prefix that is kept without deleted points, at its original size. 0 means
   * that all kept bytes are as received.
   */
  readonly rewrittenBytes: number;
  /** CRC-32C of the rewritten bytes as kept. 0 if there are none. */
  readonly rewrittenCrc32c: number;
  /** CRC-32C of the rewritten or dropped bytes as received. Null if unknown. */
  readonly receivedCrc32c: number | null;
  readonly experimentDeleted: boolean;
  readonly runDeleted: boolean;
  /** Set if the file belongs to a snapshot, so that nothing can be added to it. */
  readonly frozen: boolean;
}

/** One file. Null if the tenant has no file with this id. */
export async function readFile({ trx, tenantId }: AnyScope, fileId: FileId): Promise<LedgerFile | null> {
  const { rows } = await sql<FileRow>`/* prepared: read-file */ ${files(tenantId, [fileId])}`.execute(trx);
  return toFiles(rows)[0] ?? null;
}

/**
 * Locks these files until the transaction ends, so that no other transaction appends to, completes
 * or joins them, and returns them. Always locks in id order, so that two transactions cannot
 * deadlock. Ids that the tenant does not have are omitted.
 */
export async function lockFiles({ trx, tenantId }: TenantScope, fileIds: readonly FileId[]): Promise<LedgerFile[]> {
  // NO KEY: rows that refer to the file can be inserted at the same time.
  const { rows } = await sql<FileRow>`/* prepared: lock-files */ ${files(tenantId, fileIds)} for no key update of f`.execute(trx);
  return toFiles(rows);
}

function files(tenantId: TenantId, fileIds: readonly FileId[]): RawBuilder<unknown> {
  return sql`
    select f.file_id, f.experiment_id, f.run_id, f.name, f.version, f.durable_offset, f.crc32c, f.completed_bytes, f.original_key,
      f.dropped_bytes, f.rewritten_bytes, f.rewritten_crc32c, f.received_crc32c, e.deleted_at is not null as deleted, r.deleted_at is not null as run_deleted,
      e.snapshot_of is not null as frozen
    from event_file f
    join run r on r.tenant_id = f.tenant_id and r.run_id = f.run_id
    join experiment e on e.tenant_id = f.tenant_id and e.experiment_id = f.experiment_id
    where f.tenant_id = ${tenantId} and f.file_id = any(${[...fileIds]}::bigint[])
    order by f.file_id`;
}

function toFiles(rows: readonly FileRow[]): LedgerFile[] {
  return rows.map((row) => ({
    fileId: row.file_id,
    experimentId: row.experiment_id,
    runId: row.run_id,
    name: row.name,
    version: row.version,
    durableOffset: Number(row.durable_offset),
    crc32c: Number(row.crc32c),
    completedBytes: row.completed_bytes === null ? null : Number(row.completed_bytes),
    originalKey: row.original_key,
    droppedBytes: Number(row.dropped_bytes),
    rewrittenBytes: Number(row.rewritten_bytes),
    rewrittenCrc32c: Number(row.rewritten_crc32c ?? 0),
    receivedCrc32c: row.received_crc32c === null ? null : Number(row.received_crc32c),
    experimentDeleted: row.deleted,
    runDeleted: row.run_deleted,
    frozen: row.frozen,
  }));
}

interface FileRow {
  file_id: FileId;
  experiment_id: ExperimentId;
  run_id: RunId;
  name: string;
  version: number;
  durable_offset: string;
  crc32c: string;
  completed_bytes: string | null;
  original_key: string | null;
  dropped_bytes: string;
  rewritten_bytes: string;
  rewritten_crc32c: string | null;
  received_crc32c: string | null;
  deleted: boolean;
  run_deleted: boolean;
  frozen: boolean;
}
