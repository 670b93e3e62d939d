import type { IngestOutcome, IngestRun } from '#jobs';
import { isTransient, quarantineRecord, readRunFailures, writeRunFailure, type Store } from '#store';
import { type IngestDone, IngestFailure } from '../ingest-run/ingest-run.ts';
import { IngestPoolClosed } from '../ingest-pool.ts';
import type { RolledUp } from '../roll-up/roll-up-run.ts';

const triesBeforeHalving = 5;
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
 *    │ counted, up to five times ─▶ try again, waiting longer each time
 *    │ then ──────────────────────▶ halve the batch until one record is left ──fails twice──▶ quarantine that record, go on behind it
 * ```
 *
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

  async #noteFailure(job: IngestRun, error: unknown): Promise<IngestOutcome> {
    const cause = error instanceof IngestFailure ? error.cause : error;
    const message = error instanceof Error ? error.message : String(error);
    return this.#store.withTenant(job.tenantId, async (trx) => {
      const work = await readRunFailures(trx, job.tenantId, job.runId);
      if (!work) return 'busy';
      if (isTransient(cause)) {
        await writeRunFailure(trx, { ...job, counts: false, retryAfterMs: surroundingsRetryMs, batchBytes: work.batchBytes, message });
        return 'busy';
      }
      const failures = work.failures + 1;
      const witnessed = error instanceof IngestFailure ? error.witnessed : null;
      if (failures > triesBeforeHalving && work.batchBytes === 1 && witnessed?.count === 1 && witnessed.first) {
        await quarantineRecord(trx, { ...job, ...witnessed.first, detail: `The record could not be stored: ${message}` });
        return 'more';
      }
      if (failures < triesBeforeHalving) {
        const retryAfterMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
        await writeRunFailure(trx, { ...job, counts: true, retryAfterMs, batchBytes: work.batchBytes, message });
        return 'busy';
      }
      // Half of what this try has read: the bound may be thousands of times as much.
      const tried = Math.min(work.batchBytes ?? this.#maxBatchBytes, witnessed?.bytes ?? Infinity);
      const batchBytes = Math.max(1, Math.floor(tried / 2));
      await writeRunFailure(trx, { ...job, counts: true, retryAfterMs: batchBytes === 1 ? firstRetryMs : 0, batchBytes, message });
      return 'more';
    });
  }
}
