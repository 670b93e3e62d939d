import { sql } from 'kysely';
import type { ExperimentId, FileId, RunName } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A run's log, as far as it is readable. */
export interface StoredLog {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  /** Readable bytes. */
  readonly bytes: number;
  /** Line feeds in them. */
  readonly lines: number;
  /** Where the unfinished last line begins, or `bytes` if there is none. */
  readonly lineStart: number;
  readonly complete: boolean;
  /** False if the workspace's retention removed its first bytes. */
  readonly kept: boolean;
}

interface LogRow {
  file_id: FileId;
  run: RunName;
  name: string;
  version: number;
  parsed_offset: string;
  records: string;
  needs_offset: string;
  complete: boolean;
  dropped_bytes: string;
}

function toLog(row: LogRow): StoredLog {
  return {
    fileId: row.file_id,
    run: row.run,
    name: row.name,
    version: row.version,
    bytes: Number(row.parsed_offset),
    lines: Number(row.records),
    lineStart: Number(row.needs_offset),
    complete: row.complete,
    kept: row.dropped_bytes === '0',
  };
}

const logColumns = sql`f.file_id, r.name as run, f.name, f.version, p.parsed_offset, p.records, p.needs_offset,
  coalesce(f.completed_bytes = p.parsed_offset, false) as complete, f.dropped_bytes`;

/**
 * A page of an experiment's logs, in no particular order, limited to these runs (by name hash; null
 * means all runs).
 */
export async function listLogs(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  runs: readonly Buffer[] | null,
  limit: number,
  after: FileId | null,
): Promise<StoredLog[]> {
  const { rows } = await sql<LogRow>`/* list-logs */
    select ${logColumns}
    from log_index i
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = i.file_id
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = i.file_id
    join run r on r.tenant_id = ${tenantId} and r.run_id = i.run_id
    where i.tenant_id = ${tenantId} and i.experiment_id = ${experimentId} and i."offset" = 0 and r.deleted_at is null
      and (${runs}::bytea[] is null or r.name_hash = any(${runs}::bytea[]))
      and (${after}::int8 is null or i.file_id > ${after}::int8)
    order by i.file_id limit ${limit}`.execute(trx);
  return rows.map(toLog);
}

/** An experiment's log. Null if there is no log with this id. */
export async function readLog({ trx, tenantId }: TenantScope, experimentId: ExperimentId, fileId: FileId): Promise<StoredLog | null> {
  const { rows } = await sql<LogRow>`/* read-log */
    select ${logColumns}
    from log_index i
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = i.file_id
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = i.file_id
    join run r on r.tenant_id = ${tenantId} and r.run_id = i.run_id
    where i.tenant_id = ${tenantId} and i.file_id = ${fileId} and i."offset" = 0 and i.experiment_id = ${experimentId}
      and r.deleted_at is null`.execute(trx);
  return rows[0] ? toLog(rows[0]) : null;
}
