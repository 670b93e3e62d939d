import type { IngestOutcome, IngestRun } from './ingest-run.job.ts';

/** Runs one job. Errors are logged, and the sweeper offers the run again. */
export type IngestHandler = (job: IngestRun) => Promise<IngestOutcome>;

/**
 * Carries hints that a run has work from processes that acknowledge to those that ingest. The
 * ledger is the source of truth: a lost offer only causes a delay until the next sweep, and a
 * duplicate offer finds nothing to do.
 *
 * ```
 *            offer                    a worker is free
 *   (none) ────────▶ waiting ─────────────────────────▶ running ──idle, busy──▶ (none), little ──▶ resting for a moment
 *                       ▲                                  │
 *                       └────── more, or offered again ────┘
 * ```
 *
 * ```ts
 * import { parseExperimentId, parseRunId, parseTenantId } from '#model';
 * import { InProcessDispatcher } from './in-process-dispatcher.ts';
 *
 * const tenantId = parseTenantId('00000000-0000-4000-8000-000000000000');
 * const job = { tenantId, experimentId: parseExperimentId('e'.repeat(22)), runId: parseRunId('1') };
 * const dispatcher: Dispatcher = new InProcessDispatcher(0, assert.fail);
 * const answers = ['more', 'idle'] as const;
 * let calls = 0;
 * await new Promise<void>((resolve) => {
 *   dispatcher.start(async () => {
 *     if (calls === 1) resolve();
 *     return answers[calls++]!;
 *   }, 1);
 *   dispatcher.offer(job); // once: after "more", the run is offered again by itself
 * });
 * await dispatcher.close();
 * assert.equal(calls, 2);
 * ```
 */
export abstract class Dispatcher {
  /** Announces that the run has pending segments. Never throws and never waits. */
  abstract offer(job: IngestRun): void;
  /**
   * Starts passing jobs to `handler`: at most `concurrency` at a time, and never two jobs of the
   * same run.
   */
  abstract start(handler: IngestHandler, concurrency: number): void;
  /** Claims no new jobs. Resolves when the running jobs are done. */
  abstract close(): Promise<void>;
}
