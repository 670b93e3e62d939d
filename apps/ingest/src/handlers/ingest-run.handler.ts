import type { IngestOutcome, IngestRun } from '#jobs';
import {
  endFiles,
  isTransient,
  lostReason,
  quarantineRecord,
  readRunFailures,
  readRunFiles,
  unreadableReason,
  writeRunFailure,
  type IngestTransaction,
  type RunFailures,
  type Store,
} from '#store';
import { canBeRead, type IngestDone, IngestFailure, type LostBytes, type WitnessedRecords } from '../ingest-run/ingest-run.ts';
import { RunPlaces } from '../ingest-run/run-places.ts';
import { IngestPoolClosed, IngestThreadDied } from '../ingest-pool.ts';
import type { RolledUp } from '../roll-up/roll-up-run.ts';

const triesBeforeHalving = 5;
/** A thread can die for the machine's sake, too; these take half a minute. */
const triesBeforeBlame = 9;
/** Tries in a row that find the same stored bytes damaged or gone before it is believed; with the pauses they take 61 s, and what the sweeper adds. */
const triesBeforeLost = 7;
const firstLostRetryMs = 1_000;
const maxLostRetryMs = 30_000;
const firstRetryMs = 200;
const maxRetryMs = 10_000;
const surroundingsRetryMs = 1_000;

/** Does a job somewhere: in a thread of the pool. */
export interface IngestRunner {
  run(job: IngestRun): Promise<IngestDone>;
  rollUp(job: IngestRun): Promise<RolledUp>;
}

/**
 * Does one `ingest-run` job and decides what a failure means:
 *
 * ```
 *  fails ──transient──────────────▶ try again, not counted
 *    │ stored bytes are lost ─────▶ try again, waiting longer each time ──found seven times in a row──▶ end the file there, go on with the others
 *    │ counted, up to five times ─▶ try again, waiting longer each time
 *    │ then ──────────────────────▶ halve the batch until one record is left ──fails twice──▶ quarantine that record, go on behind it
 *    │ then, nobody knows where ──▶ the same from one record on, waiting longer each time
 * ```
 *
 * A try that reads no less than the last one always waits longer than it did. So a run whose trouble is none of these (a bug, a grant that is missing) is
 * tried for ever, every ten seconds, and nothing of it is put aside: its bytes are not to blame.
 * When nothing of the run is left to be read, its series are rolled up.
 */
export class IngestRunHandler {
  readonly #store: Store;
  readonly #pool: IngestRunner;
  readonly #maxBatchBytes: number;
  readonly #onFailure: (error: unknown, job: IngestRun) => void;

  constructor(store: Store, pool: IngestRunner, maxBatchBytes: number, onFailure: (error: unknown, job: IngestRun) => void) {
    this.#store = store;
    this.#pool = pool;
    this.#maxBatchBytes = maxBatchBytes;
    this.#onFailure = onFailure;
  }

  /** Never throws for a failure of the run itself: it is noted in the ledger. */
  async handle(job: IngestRun): Promise<IngestOutcome> {
    try {
      const { outcome, stored } = await this.#pool.run(job);
      // The other files of a live run always have something new: the tries at one that is damaged are counted all the same.
      if (stored && stored.lost.length > 0) return await this.#noteLost(job, stored.lost);
      if (!stored?.rollUp) return outcome;
      // Whoever waits for being ingested goes first, and this run once more to see that it has nothing new.
      return stored.bytes > 0 ? 'more' : await this.#rollUp(job, outcome);
    } catch (error) {
      if (error instanceof IngestPoolClosed) return 'busy';
      this.#onFailure(error, job);
      return await this.#noteFailure(job, error);
    }
  }

  /** A failure is none of the run's: it is listed as before, and the sweeper offers it again. */
  async #rollUp(job: IngestRun, outcome: IngestOutcome): Promise<IngestOutcome> {
    try {
      return (await this.#pool.rollUp(job)) === 'more' ? 'more' : outcome;
    } catch (error) {
      if (!(error instanceof IngestPoolClosed)) this.#onFailure(new Error('its chunks could not be rolled up', { cause: error }), job);
      return outcome;
    }
  }

  async #noteLost(job: IngestRun, lost: readonly LostBytes[]): Promise<IngestOutcome> {
    this.#onFailure(new Error(textOf(lost)), job);
    return this.#store.withTenant(job.tenantId, async (trx) => {
      const work = await readRunFailures(trx, job.tenantId, job.runId);
      return work ? await noteLost(trx, job, work, lost) : 'busy';
    });
  }

  async #noteFailure(job: IngestRun, error: unknown): Promise<IngestOutcome> {
    const cause = error instanceof IngestFailure ? error.cause : error;
    const message = error instanceof Error ? error.message : String(error);
    return this.#store.withTenant(job.tenantId, async (trx) => {
      const work = await readRunFailures(trx, job.tenantId, job.runId);
      if (!work) return 'busy';
      if (isTransient(cause)) {
        await writeRunFailure(trx, { ...job, ...work, retryAfterMs: surroundingsRetryMs, message });
        return 'busy';
      }
      if (error instanceof IngestFailure && error.lost.length > 0) return await noteLost(trx, job, work, error.lost);
      const failures = work.failures + 1;
      const witnessed = error instanceof IngestFailure && error.witnessed.count > 0 ? error.witnessed : null;
      const one = await blamed(trx, job, { ...work, failures }, error, witnessed);
      if (one?.fails === 'to be stored') {
        await quarantineRecord(trx, { ...job, ...one, detail: `The record could not be stored: ${message}` });
        return 'more';
      }
      if (one) {
        const detail = `Reading on from here failed each time: ${message}`;
        await endFiles(trx, job, [{ ...one, parsedOffset: one.offset, bytes: 0, reason: unreadableReason, detail }]);
        return 'more';
      }
      const later = pause(failures, firstRetryMs, maxRetryMs);
      if (failures < triesBeforeHalving) {
        await writeRunFailure(trx, { ...job, failures, retryAfterMs: later, batchBytes: work.batchBytes, message });
        return 'busy';
      }
      // Half of what this try has read: the bound may be thousands of times as much. One record, where nobody knows what it has read.
      const tried = Math.min(work.batchBytes ?? this.#maxBatchBytes, witnessed?.bytes ?? 0);
      const batchBytes = Math.max(1, Math.floor(tried / 2));
      const isLess = witnessed !== null && batchBytes < (work.batchBytes ?? this.#maxBatchBytes);
      const retryAfterMs = isLess ? (batchBytes === 1 ? firstRetryMs : 0) : later;
      await writeRunFailure(trx, { ...job, failures, retryAfterMs, batchBytes, message });
      return retryAfterMs > firstRetryMs ? 'busy' : 'more';
    });
  }
}

/** The pause after so many failures in a row, in milliseconds. */
function pause(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * Ends files whose stored bytes are lost, once tries enough have found just that, one after the other. Where another failure comes between, or the store
 * did not answer, they are counted anew: only what is found again and again is believed.
 */
async function noteLost(
  trx: IngestTransaction['trx'],
  job: IngestRun,
  work: RunFailures,
  lost: readonly LostBytes[],
): Promise<IngestOutcome> {
  const message = textOf(lost);
  const failures = work.lastWas(message) ? work.failures + 1 : 1;
  if (failures < triesBeforeLost) {
    const retryAfterMs = pause(failures, firstLostRetryMs, maxLostRetryMs);
    await writeRunFailure(trx, { ...job, failures, retryAfterMs, batchBytes: null, message });
    return 'busy';
  }
  const reason = lostReason;
  const told = `and so it was found ${failures} times. What came before is kept.`;
  await endFiles(
    trx,
    job,
    lost.map((place) => ({ ...place, reason, detail: `The bytes that were acknowledged cannot be read: ${place.detail}, ${told}` })),
  );
  return 'more';
}

function textOf(lost: readonly LostBytes[]): string {
  const more = lost.length > 1 ? ` (and ${lost.length - 1} more)` : '';
  return `${lost[0]!.name}: ${lost[0]!.detail}${more}`;
}

/** What fails each time, when it was tried alone: a record that cannot be stored, or reading on from an offset. Null: nothing is known to, yet. */
async function blamed(
  trx: IngestTransaction['trx'],
  { tenantId, experimentId, runId }: IngestRun,
  { failures, batchBytes }: { failures: number; batchBytes: number | null },
  error: unknown,
  witnessed: WitnessedRecords | null,
): Promise<{ fails: 'to be stored' | 'to be read'; fileId: string; offset: number } | null> {
  if (batchBytes !== 1) return null;
  if (failures > triesBeforeHalving && witnessed?.count === 1 && witnessed.first) return { fails: 'to be stored', ...witnessed.first };
  if (failures < triesBeforeBlame || !(error instanceof IngestThreadDied)) return null;
  // The thread took with it what it knew; but it was given one record to read, and the ledger says which.
  const { files } = new RunPlaces(await readRunFiles(trx, tenantId, experimentId, runId));
  const file = files.find(canBeRead);
  if (!file) return null;
  const { fileId, parsedOffset: offset, quarantined } = file;
  return { fails: quarantined.has(offset) ? 'to be read' : 'to be stored', fileId, offset };
}
