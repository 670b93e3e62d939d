import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** An entry in a log's index: the number of line feeds before an offset. */
export interface LogEntry {
  readonly offset: number;
  readonly lines: number;
}

/** How far a log is indexed. */
export interface LogEnd {
  /** Line feeds so far. */
  readonly lines: number;
  /** Where the unfinished last line begins, or the end of the log if it ends with a line feed. */
  readonly lineStart: number;
  /** The last entry. Null if there is none. */
  readonly entry: LogEntry | null;
}

/** How far a log is indexed. Null if there is no such file. */
export async function readLogEnd({ trx, tenantId }: IngestScope, fileId: FileId): Promise<LogEnd | null> {
  const { rows } = await sql<{ records: string; needs_offset: string; entry_offset: string | null; entry_lines: string | null }>`
    /* read-log-end */
    select p.records, p.needs_offset, i."offset" as entry_offset, i.lines as entry_lines
    from file_progress p
    left join lateral (
      select l."offset", l.lines from log_index l
      where l.tenant_id = ${tenantId} and l.file_id = p.file_id order by l."offset" desc limit 1
    ) i on true
    where p.tenant_id = ${tenantId} and p.file_id = ${fileId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  const entry = row.entry_offset === null ? null : { offset: Number(row.entry_offset), lines: Number(row.entry_lines) };
  return { lines: Number(row.records), lineStart: Number(row.needs_offset), entry };
}

/** Adds entries to a log's index. */
export async function insertLogEntries(
  { trx, tenantId }: IngestScope,
  file: { readonly experimentId: ExperimentId; readonly runId: RunId; readonly fileId: FileId },
  entries: readonly LogEntry[],
): Promise<void> {
  await sql`/* insert-log-entries */
    insert into log_index (tenant_id, file_id, "offset", lines, run_id, experiment_id)
    select ${tenantId}, ${file.fileId}, e."offset", e.lines, ${file.runId}, ${file.experimentId}
    from unnest(${entries.map(({ offset }) => offset)}::bigint[], ${entries.map(({ lines }) => lines)}::bigint[]) as e("offset", lines)
    on conflict do nothing`.execute(trx);
}
