import { type PendingRun, readPendingRuns, readRunsToRollUp, readRunsWithOldTails, type Store, claimSweep } from '#store';
import { every, Rounds } from '#telemetry';
import type { Dispatcher } from './dispatcher.ts';

/** How often and how many runs a {@link Sweeper} offers. */
export interface SweeperOptions {
  readonly everyMs: number;
  /** Maximum runs per sweep; the next one continues after them. */
  readonly maxRuns: number;
  /** A tail older than this is cut into chunks even if no new points arrive. */
  readonly maxTailAgeMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeatedly offers runs that have pending segments, an old tail or series to roll up, so that no
 * lost hint, dead worker or wiped queue can leave work behind. It reads only the ledger, never the
 * queue.
 */
export class Sweeper {
  readonly #store: Store;
  readonly #dispatcher: Dispatcher;
  readonly #options: SweeperOptions;
  readonly #rounds: Rounds;
  /** The last run of the previous sweep; null if it reached the end. */
  #after: PendingRun | null = null;

  constructor(store: Store, dispatcher: Dispatcher, options: SweeperOptions) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
    const { everyMs, onError } = options;
    this.#rounds = new Rounds(() => this.sweep(), { name: 'sweep', pauseMs: every(everyMs), onError });
  }

  /** Sweeps immediately and then every `everyMs`, one sweep at a time. */
  start(): void {
    this.#rounds.start();
  }

  /**
   * One sweep: a limited number of runs from where the last one ended, so a sweep does not take
   * longer when more is pending, and every run is reached. If another process is sweeping, this one
   * skips its sweep.
   */
  async sweep(): Promise<void> {
    const { maxRuns, maxTailAgeMs } = this.#options;
    const found = await claimSweep(this.#store.sweeper, async (sweeper) => ({
      pending: await readPendingRuns(sweeper, this.#after, maxRuns),
      tails: await readRunsWithOldTails(sweeper, maxTailAgeMs, maxRuns),
      rollups: await readRunsToRollUp(sweeper, maxRuns),
    }));
    if (!found) return;
    this.#after = found.pending.next;
    for (const run of [...found.pending.runs, ...found.tails, ...found.rollups]) this.#dispatcher.offer(run);
  }

  /** Stops sweeping; resolves when a running sweep has ended. */
  close(): Promise<void> {
    return this.#rounds.close();
  }
}
