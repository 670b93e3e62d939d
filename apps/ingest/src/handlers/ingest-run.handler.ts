import type { IngestOutcome, IngestRun } from '#jobs';
import { endFiles, isTransient, quarantineRecord, readingFailsReason, readRunFailures, type Store, writeRunFailure } from '#store';
import { count } from '#telemetry';
import { IngestPoolClosed } from '../ingest-pool.ts';
import { IngestFailure, type LostBytes } from '../ingest-run/ingest-failure.ts';
import type { IngestDone } from '../ingest-run/ingest-run.ts';
import type { RolledUp } from '../roll-up/roll-up-run.ts';
import { findCulprit, triesBeforeHalving } from './culprit.ts';
import { lostPrefix, lostText, endLostFiles } from './end-lost-files.ts';
import { pause } from './backoff.ts';

const backoff = { firstMs: 200, maxMs: 10_000 };
const surroundingsRetryMs = 1_000;

/** Bounds of the handler. */
export interface IngestRunBounds {
  /** Maximum event file bytes that one transaction parses. */
  readonly maxBatchBytes: number;
  /**
   * How long attempts must keep finding the same stored bytes lost before ingest ends the file
   * there.
   */
  readonly believeLostAfterMs: number;
}

/** Runs a job, in a thread of the pool. */
export interface IngestRunner {
  run(job: IngestRun): Promise<IngestDone>;
  rollUp(job: IngestRun): Promise<RolledUp>;
}

/**
 * Runs one `ingest-run` job and decides how to handle a failure:
 *
 * ```
 *  fails
 *    │ transient ─────────────────▶ retry, not counted
 *    │ stored bytes are lost ─────▶ back off and retry
 *    │                              ──the same finding for minutes──▶ end the file there, continue
 *    │                                                                with the others
 *    │ counted, up to five times ─▶ back off and retry
 *    │ then ──────────────────────▶ halve the batch until one record is left
 *    │                              ──it fails twice──▶ quarantine that record, continue after it
 *    │ the thread dies ───────────▶ the same, starting with one record, with backoff
 *    │                              ──it reported this record twice──▶ quarantine that record
 *    │                              ──it still dies──▶ end the file there
 *    │ the position is unknown ───▶ retry one record with backoff, forever
 * ```
 *
 * An attempt that reads at least as much as the previous one always waits longer. A run may fail
 * for any other reason: a bug, a missing grant, an encoding that only a newer version knows, or
 * threads that die before they read anything. Such a run is retried forever, every ten seconds, and
 * nothing is quarantined, because the run's bytes are not the cause. If two processes attempt a run
 * concurrently, the attempt that ends while the run is already backing off is not counted. Once
 * nothing is left to read of the run, its series are rolled up.
 */
export class IngestRunHandler {
  readonly #store: Store;
  readonly #pool: IngestRunner;
  readonly #bounds: IngestRunBounds;
  readonly #onFailure: (error: unknown, job: IngestRun) => void;

  constructor(store: Store, pool: IngestRunner, bounds: IngestRunBounds, onFailure: (error: unknown, job: IngestRun) => void) {
    this.#store = store;
    this.#pool = pool;
    this.#bounds = bounds;
    this.#onFailure = onFailure;
  }

  /** Never throws for a failure of the run itself, because the ledger records it. */
  async handle(job: IngestRun): Promise<IngestOutcome> {
    try {
      const { outcome, committed } = await this.#pool.run(job);
      // The other files of a live run always have new bytes, so attempts at a damaged file count
      // even if the others succeed.
      if (committed && committed.lost.length > 0) return await this.#endLostFiles(job, committed.lost);
      if (!committed?.rollUp) return outcome;
      // Pending runs go first. The run is then queued again so that new data is noticed.
      return committed.bytes > 0 ? 'more' : await this.#rollUp(job, outcome);
    } catch (error) {
      if (error instanceof IngestPoolClosed) return 'busy';
      this.#onFailure(error, job);
      return await this.#noteFailure(job, error);
    }
  }

  /**
   * A rollup failure does not count against the run. The series stay queued, and the sweeper offers
   * the run again.
   */
  async #rollUp(job: IngestRun, outcome: IngestOutcome): Promise<IngestOutcome> {
    try {
      return (await this.#pool.rollUp(job)) === 'more' ? 'more' : outcome;
    } catch (error) {
      if (!(error instanceof IngestPoolClosed)) this.#onFailure(new Error('its chunks could not be rolled up', { cause: error }), job);
      return outcome;
    }
  }

  async #endLostFiles(job: IngestRun, lost: readonly LostBytes[]): Promise<IngestOutcome> {
    count('lostBytesFound', lost.length);
    this.#onFailure(new Error(lostText(lost)), job);
    return this.#store.withTenant(job.tenantId, async (scope) => {
      const work = await readRunFailures(scope, job.runId);
      return work ? await endLostFiles(scope, job, work, lost, this.#bounds.believeLostAfterMs) : 'busy';
    });
  }

  async #noteFailure(job: IngestRun, error: unknown): Promise<IngestOutcome> {
    const cause = error instanceof IngestFailure ? error.cause : error;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof IngestFailure) count('lostBytesFound', error.lost.length);
    return this.#store.withTenant(job.tenantId, async (scope) => {
      const work = await readRunFailures(scope, job.runId);
      if (!work) return 'busy';
      if (isTransient(cause)) {
        const failures = work.lastBegan(lostPrefix) ? 0 : work.failures;
        await writeRunFailure(scope, { ...job, ...work, failures, retryAfterMs: surroundingsRetryMs, message });
        return 'busy';
      }
      if (error instanceof IngestFailure && error.lost.length > 0)
        return await endLostFiles(scope, job, work, error.lost, this.#bounds.believeLostAfterMs);
      const failures = work.lastBegan(lostPrefix) ? 1 : work.failures + 1;
      const witnessed = error instanceof IngestFailure && error.witnessed.count > 0 ? error.witnessed : null;
      const one = await findCulprit(scope, job, { ...work, failures }, error, witnessed);
      if (one?.fails === 'to be stored') {
        await quarantineRecord(scope, { ...job, ...one, detail: `The record could not be stored: ${message}` });
        return 'more';
      }
      if (one) {
        const detail = `Reading from here on failed each time: ${message}`;
        await endFiles(scope, job, [{ ...one, parsedOffset: one.offset, bytes: 0, reason: readingFailsReason, detail }]);
        count('endedFiles');
        return 'more';
      }
      const later = pause(failures, backoff);
      if (failures < triesBeforeHalving) {
        await writeRunFailure(scope, { ...job, failures, retryAfterMs: later, batchBytes: work.batchBytes, message });
        return 'busy';
      }
      // Half of what this attempt read, because the bound may be thousands of times larger. If that
      // amount is unknown, a single record.
      const tried = Math.min(work.batchBytes ?? this.#bounds.maxBatchBytes, witnessed?.bytes ?? 0);
      const batchBytes = Math.max(1, Math.floor(tried / 2));
      const isLess = witnessed !== null && batchBytes < (work.batchBytes ?? this.#bounds.maxBatchBytes);
      const retryAfterMs = isLess ? (batchBytes === 1 ? backoff.firstMs : 0) : later;
      await writeRunFailure(scope, { ...job, failures, retryAfterMs, batchBytes, message });
      return retryAfterMs > backoff.firstMs ? 'busy' : 'more';
    });
  }
}
