import { sql } from 'kysely';
import type { ExperimentId, FileId, FileProblem, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

const maxDetailCharacters = 1_000;

/** Stores a batch's problems, for the owner of the file. */
export async function writeFileProblems(
  { trx, tenantId }: IngestScope,
  place: { experimentId: ExperimentId; runId: RunId; fileId: FileId },
  problems: readonly FileProblem[],
): Promise<void> {
  // A statement can have at most 65,535 parameters, so a file with many problems is written in
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
