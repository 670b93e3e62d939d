import type { BlobStore } from '#blobs';
import type { IngestOutcome, IngestRun } from '#jobs';
import type { FileId } from '#model';
import { OriginalDamaged } from '#originals';
import { claimRun, clearRunFailures, listSeriesToRollUp, settleRemark, type Store, tellSettled } from '#store';
import { failpoint } from '#telemetry';
import { IngestFailure, type LostBytes, type RecordPlace } from './ingest-failure.ts';
import { type IngestOptions, RunIngest } from './run-ingest.ts';

/**
 * The result of a committed transaction: its points (including tensors and blob rows), and the
 * event file bytes that contained them.
 */
export interface Committed {
  readonly points: number;
  readonly bytes: number;
  /** Whether nothing of the run is left to read and some of its series can be rolled up. */
  readonly rollUp: boolean;
  /** Number of settled segments per file. */
  readonly segments: readonly (readonly [FileId, number])[];
  /** The positions beyond which some files could not be read, although other files could. */
  readonly lost: readonly LostBytes[];
}

/** The result of one transaction on a run. `committed` is null if it committed nothing. */
export interface IngestDone {
  readonly outcome: IngestOutcome;
  readonly committed: Committed | null;
}

/** A transaction that reads fewer bytes belongs to a live run, whose commits are worth grouping. */
const littleBytes = 64 * 1024;

/**
 * Ingests the pending data of one run in one transaction. It reads the pending segments in log
 * order, parses complete records, and stores points, tensors and blob rows. The same transaction
 * advances the files' offsets, settles the segments and notifies the publisher. So a job can run
 * any number of times and die at any moment: either everything is stored, or nothing is stored and
 * the segments remain pending. If a batch has one record, `onReading` is called with the record
 * before it is read, and with null once it is stored. A thread that dies in between died on that
 * record. Throws an {@link IngestFailure}.
 */
export async function ingestRun(
  store: Store,
  blobs: BlobStore,
  job: IngestRun,
  options: IngestOptions,
  onReading: (place: RecordPlace | null) => void = () => undefined,
): Promise<IngestDone> {
  let committed: Committed | null = null;
  await failpoint('before-claim');
  const outcome = await store.withIngest<IngestOutcome>(job.tenantId, async (ingest) => {
    const claimed = await claimRun(ingest, job.runId);
    if (!claimed) return 'busy';
    await failpoint('after-claim');
    const run = new RunIngest(ingest, blobs, job, options, claimed.batchBytes === 1 ? onReading : () => undefined);
    try {
      const done = await run.ingest(claimed.batchBytes ?? options.maxBatchBytes, claimed.remark);
      if (claimed.remark) await settleRemark(ingest, job.runId);
      // If a file is damaged, only the other files succeeded, so attempts at the damaged file still
      // count.
      if (run.lost.length === 0 && (claimed.failures > 0 || claimed.batchBytes !== null)) {
        const next = claimed.batchBytes === null || done ? null : claimed.batchBytes * 2;
        await clearRunFailures(ingest, job.runId, next !== null && next < options.maxBatchBytes ? next : null);
      }
      // Pipelined, one statement each.
      const [toRollUp] = await Promise.all([
        done ? listSeriesToRollUp(ingest, job.runId, 1) : [],
        tellSettled(ingest, job.experimentId, job.runId, run.settled),
      ]);
      await failpoint('before-ingest-commit');
      committed = { points: run.pointsStored, bytes: run.bytesRead, rollUp: toRollUp.length > 0, segments: run.segments, lost: run.lost };
      if (!done) return 'more';
      return run.bytesRead < littleBytes ? 'little' : 'idle';
    } catch (error) {
      throw new IngestFailure(error, run.witnessed, error instanceof OriginalDamaged ? run.lost : []);
    }
  });
  await failpoint('after-ingest-commit');
  return { outcome, committed };
}
