import { sql } from 'kysely';
import type { ExperimentId, FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A log in a copied experiment, still without its text. */
export interface CopiedLog {
  readonly fileId: FileId;
  readonly sourceFileId: FileId;
  /** Bytes of the text. */
  readonly bytes: number;
}

/**
 * Makes copied log files usable as logs by copying their index, up to the end of the copy. `from`
 * is the source. `to` is the copy, which has no file bytes yet. Returns the logs whose text the
 * source still has, in no particular order.
 */
export async function copyLogIndex(
  { trx, tenantId }: TenantScope,
  { from, to }: { readonly from: ExperimentId; readonly to: ExperimentId },
): Promise<CopiedLog[]> {
  await sql`/* copy-log-index */
    insert into log_index (tenant_id, file_id, "offset", lines, run_id, experiment_id)
    select ${tenantId}::uuid, n.file_id, i."offset", i.lines, n.run_id, ${to}::text
    from log_index i
    join event_file o on o.tenant_id = ${tenantId} and o.file_id = i.file_id
    join run s on s.tenant_id = ${tenantId} and s.run_id = i.run_id
    join run c on c.tenant_id = ${tenantId} and c.experiment_id = ${to} and c.name_hash = s.name_hash
    join event_file n on n.tenant_id = ${tenantId} and n.run_id = c.run_id and n.name_hash = o.name_hash and n.version = o.version
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = n.file_id
    where i.tenant_id = ${tenantId} and i.experiment_id = ${from} and i."offset" <= p.parsed_offset
    returning 1`.execute(trx);
  const { rows } = await sql<{ file_id: FileId; source_file_id: FileId; bytes: string }>`/* list-copied-logs */
    select n.file_id, o.file_id as source_file_id, n.durable_offset as bytes
    from log_index i
    join event_file n on n.tenant_id = ${tenantId} and n.file_id = i.file_id
    join run c on c.tenant_id = ${tenantId} and c.run_id = n.run_id
    join run s on s.tenant_id = ${tenantId} and s.experiment_id = ${from} and s.name_hash = c.name_hash
    join event_file o on o.tenant_id = ${tenantId} and o.run_id = s.run_id and o.name_hash = n.name_hash and o.version = n.version
    where i.tenant_id = ${tenantId} and i.experiment_id = ${to} and i."offset" = 0 and o.dropped_bytes = 0`.execute(trx);
  return rows.map((row) => ({ fileId: row.file_id, sourceFileId: row.source_file_id, bytes: Number(row.bytes) }));
}

/** Records that a copied file has all of its bytes, which the caller has just inserted. */
export async function keepCopiedFile({ trx, tenantId }: TenantScope, fileId: FileId): Promise<void> {
  await sql`/* keep-copied-file */ update event_file set dropped_bytes = 0
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
