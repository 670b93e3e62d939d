import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';
import type { LogEntry } from './insert-log-entries.ts';

/**
 * A log's last entry with fewer than `lines` line feeds before it. If `lines` is 0, the beginning
 * of the log.
 */
export async function findLogEntry({ trx, tenantId }: TenantScope, fileId: FileId, lines: number): Promise<LogEntry> {
  const { rows } = await sql<{ offset: string; lines: string }>`/* find-log-entry */
    select "offset", lines from log_index
    where tenant_id = ${tenantId} and file_id = ${fileId} and lines < ${lines}
    order by "offset" desc limit 1`.execute(trx);
  return rows[0] ? { offset: Number(rows[0].offset), lines: Number(rows[0].lines) } : { offset: 0, lines: 0 };
}
