import { sql, type Kysely } from 'kysely';
import type { FileProblem, SessionStart } from '#model';
import type { Database } from '../database.ts';

/** Where the worker stands in a file after a batch. `records` and `rejectedBytes` are what this batch adds. */
export interface FileProgressUpdate {
  readonly fileId: string;
  readonly parsedOffset: number;
  readonly needsOffset: number;
  readonly records: number;
  readonly rejectedBytes: number;
  readonly ended: boolean;
}

/** Advances the progress rows of files. */
export async function writeFileProgress(trx: Kysely<Database>, tenantId: string, updates: readonly FileProgressUpdate[]): Promise<void> {
  const column = <T>(pick: (update: FileProgressUpdate) => T): T[] => updates.map(pick);
  await sql`/* prepared: write-file-progress */ update file_progress p set
      parsed_offset = u.parsed_offset, needs_offset = u.needs_offset, ended = u.ended,
      records = p.records + u.records, rejected_bytes = p.rejected_bytes + u.rejected_bytes
    from unnest(
      ${column((u) => u.fileId)}::bigint[], ${column((u) => u.parsedOffset)}::bigint[], ${column((u) => u.needsOffset)}::bigint[],
      ${column((u) => u.ended)}::boolean[], ${column((u) => u.records)}::bigint[], ${column((u) => u.rejectedBytes)}::bigint[]
    ) as u(file_id, parsed_offset, needs_offset, ended, records, rejected_bytes)
    where p.tenant_id = ${tenantId} and p.file_id = u.file_id`.execute(trx);
}

const maxDetailCharacters = 1_000;

/** Keeps the problems of a batch, for the owner of the file. */
export async function writeFileProblems(
  trx: Kysely<Database>,
  tenantId: string,
  place: { experimentId: string; runId: string; fileId: string },
  problems: readonly FileProblem[],
): Promise<void> {
  // Parameters of one statement are bounded (65,535), so a file that is nothing but problems goes in slices.
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
      .execute();
  }
}

/** Keeps the SessionLog STARTs of a batch. */
export async function writeSessionStarts(
  trx: Kysely<Database>,
  tenantId: string,
  runId: string,
  fileId: string,
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
      .execute();
  }
}
