import type { Dispatcher } from '../dispatcher.ts';
import type { IngestOutcome, IngestRun } from '../ingest-run.job.ts';
import { runKeyOf } from '../tenant-lanes.ts';

/**
 * An in-memory ledger of which runs have work, which worker holds which run, and what was done. Its
 * handler changes this ledger as ingest changes the real ledger.
 */
export class PendingRuns {
  /** Keys of the runs, in the order in which they were processed. */
  readonly done: string[] = [];
  /** Jobs whose run was held by another worker. */
  busy = 0;
  readonly #pending = new Map<string, IngestRun>();
  readonly #held = new Set<string>();
  readonly #work: () => Promise<void>;
  #waiting: { count: number; resolve: () => void }[] = [];

  /** `work` is what a job does between claiming its run and settling it. */
  constructor(work: () => Promise<void> = async () => {}) {
    this.#work = work;
  }

  add(...jobs: readonly IngestRun[]): void {
    for (const job of jobs) this.#pending.set(runKeyOf(job), job);
  }

  readonly handle = async (job: IngestRun): Promise<IngestOutcome> => {
    const key = runKeyOf(job);
    if (this.#held.has(key)) {
      this.busy++;
      return 'busy';
    }
    this.#held.add(key);
    try {
      await this.#work();
      if (this.#pending.delete(key)) this.done.push(key);
    } finally {
      this.#held.delete(key);
    }
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.done.length < count) return true;
      resolve();
      return false;
    });
    return 'idle';
  };

  /** Resolves when `count` runs have been processed in total. */
  untilDone(count: number): Promise<void> {
    return this.done.length >= count ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /**
   * Like the sweeper, offers pending runs every `everyMs`, until the returned function is called.
   */
  sweep(dispatcher: Dispatcher, everyMs: number): () => void {
    const tick = (): void => {
      for (const job of this.#pending.values()) dispatcher.offer(job);
    };
    const timer = setInterval(tick, everyMs);
    tick();
    return () => clearInterval(timer);
  }
}
