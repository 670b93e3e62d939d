import type { IngestOutcome, IngestRun } from './ingest-run.job.ts';

/** Runs one job; errors are logged, and the sweeper offers the run again. */
export type IngestHandler = (job: IngestRun) => Promise<IngestOutcome>;

/**
 * Carries hints that a run has work from processes that acknowledge to those that ingest. The
 * ledger is the source of truth: a lost offer only causes a delay until the next sweep, a duplicate
 * finds nothing to do.
 *
 * ```
 *            offer                    a worker is free
 *   (none) ────────▶ waiting ─────────────────────────▶ running ──idle, busy──▶ (none), little ──▶ resting for a moment
 *                       ▲                                  │
 *                       └────── more, or offered again ────┘
 * ```
 */
export abstract class Dispatcher {
  /** Announces that the run has pending segments. Never throws, never waits. */
  abstract offer(job: IngestRun): void;
  /** Starts to pass jobs to `handler`, at most `concurrency` at once and never two of one run. */
  abstract start(handler: IngestHandler, concurrency: number): void;
  /** Claims no new jobs; resolves when the running ones are done. */
  abstract close(): Promise<void>;
}
