import { sql } from 'kysely';
import type { ExperimentId, FileId, FileProblem, RunId, SessionStart } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * The ingest progress of a file after a batch. `records`, `unverified` and `rejectedBytes` are
 * added by this batch.
 */
export interface FileProgressUpdate {
  readonly fileId: FileId;
  readonly parsedOffset: number;
  readonly needsOffset: number;
  readonly records: number;
  /** The number of those records that were read although their data checksum is wrong. */
  readonly unverified: number;
  readonly rejectedBytes: number;
  readonly ended: boolean;
  readonly writer: FileAsWriter;
}

/** The properties of a file as a writer of its run; see `RunFile`. */
export interface FileAsWriter {
  readonly firstWallTime: number | null;
  readonly lastWallTime: number | null;
  readonly headCrc32c: number | null;
  readonly copyOf: FileId | null;
  readonly replaced: boolean;
}

/** Writes the properties of files as writers. */
export async function writeFilesAsWriters(
  { trx, tenantId }: IngestScope,
  files: readonly (FileAsWriter & { readonly fileId: FileId })[],
): Promise<void> {
  const column = <T>(pick: (file: FileAsWriter & { readonly fileId: FileId }) => T): T[] => files.map(pick);
  await sql`/* prepared: write-files-as-writers */ update file_progress p set
      first_wall_time = u.first_wall_time, last_wall_time = u.last_wall_time, head_crc32c = u.head_crc32c, copy_of = u.copy_of, replaced = u.replaced
    from unnest(
      ${column((f) => f.fileId)}::bigint[], ${column((f) => f.firstWallTime)}::float8[], ${column((f) => f.lastWallTime)}::float8[],
      ${column((f) => f.headCrc32c)}::bigint[], ${column((f) => f.copyOf)}::bigint[], ${column((f) => f.replaced)}::boolean[]
    ) as u(file_id, first_wall_time, last_wall_time, head_crc32c, copy_of, replaced)
    where p.tenant_id = ${tenantId} and p.file_id = u.file_id`.execute(trx);
}

/** Records where the stored points start of a file that is no longer a copy. */
export async function writeCountsFrom({ trx, tenantId }: IngestScope, fileId: FileId, bytes: number): Promise<void> {
  await sql`/* write-counts-from */
    update file_progress set counts_from = ${bytes} where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}

/** Advances the progress rows of files. */
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

const maxDetailCharacters = 1_000;

/** Stores the problems of a batch, for the owner of the file. */
export async function writeFileProblems(
  { trx, tenantId }: IngestScope,
  place: { experimentId: ExperimentId; runId: RunId; fileId: FileId },
  problems: readonly FileProblem[],
): Promise<void> {
  // A statement can have at most 65,535 parameters, so a file with very many problems is written in
  // slices.
  for (let at = 0; at < problems.length; at += 1_000) {
    const numbers = new Map<number, number>();
    const rows = problems.slice(at, at + 1_000).map((problem) => {
      const number = (numbers.get(problem.offset) ?? 0) + 1;
      numbers.set(problem.offset, number);
      return {
        tenant_id: tenantId,
        file_id: place.fileId,
        offset: String(problem.offset),
        problem_no: at + number,
        run_id: place.runId,
        experiment_id: place.experimentId,
        reason: problem.reason,
        detail: problem.detail.replaceAll('\0', '\u2400').slice(0, maxDetailCharacters),
        bytes: String(problem.bytes),
        ends_file: problem.endsFile,
      };
    });
    await trx
      .insertInto('file_problem')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .modifyEnd(sql`/* write-file-problems */`)
      .execute();
  }
}

/** Stores the SessionLog STARTs of a batch. */
export async function writeSessionStarts(
  { trx, tenantId }: IngestScope,
  runId: RunId,
  fileId: FileId,
  starts: readonly SessionStart[],
): Promise<void> {
  for (let at = 0; at < starts.length; at += 5_000) {
    const rows = starts.slice(at, at + 5_000).map((start) => ({
      tenant_id: tenantId,
      run_id: runId,
      file_id: fileId,
      offset: String(start.offset),
      step: start.step.toString(),
      wall_time: start.wallTime,
    }));
    await trx
      .insertInto('session_start')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .modifyEnd(sql`/* write-session-starts */`)
      .execute();
  }
}
