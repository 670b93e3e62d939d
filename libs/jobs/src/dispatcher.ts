import type { IngestOutcome, IngestRun } from './ingest-run.job.ts';

/** Does one job; whatever it throws is logged, and the sweeper offers the run again. */
export type IngestHandler = (job: IngestRun) => Promise<IngestOutcome>;

/**
 * Carries hints that a run has work from those who acknowledge to those who ingest. The ledger is the truth: a lost offer only
 * delays until the next sweep, a doubled one finds nothing to do.
 *
 * ```
 *            offer                    a worker is free
 *   (none) ────────▶ waiting ─────────────────────────▶ running ──idle, busy──▶ (none), little ──▶ resting for a moment
 *                       ▲                                  │
 *                       └────── more, or offered again ────┘
 * ```
 */
export abstract class Dispatcher {
  /** Says that the run has pending segments. Never throws, never waits. */
  abstract offer(job: IngestRun): void;
  /** Starts to hand jobs to `handler`, at most `concurrency` at once and never two of one run. */
  abstract start(handler: IngestHandler, concurrency: number): void;
  /** Takes no new jobs, and resolves when the running ones are done. */
  abstract close(): Promise<void>;
}
