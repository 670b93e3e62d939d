import { sql } from 'kysely';
import type { FileId } from '#model';
import type { IngestScope } from '../../scope.ts';
import type { FileAsWriter } from './write-files-as-writers.ts';

/**
 * The ingest progress of a file after a batch. This batch adds `records`, `unverified` and
 * `rejectedBytes`.
 */
export interface FileProgressUpdate {
  readonly fileId: FileId;
  readonly parsedOffset: number;
  readonly needsOffset: number;
  readonly records: number;
  /** How many of the `records` were read despite wrong data checksums. */
  readonly unverified: number;
  readonly rejectedBytes: number;
  readonly ended: boolean;
  readonly writer: FileAsWriter;
}

/** Advances files' progress rows. */
export async function writeFileProgress({ trx, tenantId }: IngestScope, updates: readonly FileProgressUpdate[]): Promise<void> {
  const column = <T>(pick: (update: FileProgressUpdate) => T): T[] => updates.map(pick);
  await sql`/* prepared: write-file-progress */ update file_progress p set
      parsed_offset = u.parsed_offset, needs_offset = u.needs_offset, ended = u.ended,
      first_wall_time = u.first_wall_time, last_wall_time = u.last_wall_time, head_crc32c = u.head_crc32c, copy_of = u.copy_of, replaced = u.replaced,
      records = p.records + u.records, rejected_bytes = p.rejected_bytes + u.rejected_bytes, unverified_records = p.unverified_records + u.unverified
    from unnest(
      ${column((u) => u.fileId)}::bigint[], ${column((u) => u.parsedOffset)}::bigint[], ${column((u) => u.needsOffset)}::bigint[],
      ${column((u) => u.ended)}::boolean[], ${column((u) => u.records)}::bigint[], ${column((u) => u.rejectedBytes)}::bigint[],
      ${column((u) => u.unverified)}::bigint[],
      ${column((u) => u.writer.firstWallTime)}::float8[], ${column((u) => u.writer.lastWallTime)}::float8[],
      ${column((u) => u.writer.headCrc32c)}::bigint[], ${column((u) => u.writer.copyOf)}::bigint[], ${column((u) => u.writer.replaced)}::boolean[]
    ) as u(file_id, parsed_offset, needs_offset, ended, records, rejected_bytes, unverified,
      first_wall_time, last_wall_time, head_crc32c, copy_of, replaced)
    where p.tenant_id = ${tenantId} and p.file_id = u.file_id`.execute(trx);
}
