import { type PendingRun, readPendingRuns, readRunsToRollUp, readRunsWithOldTails, type Store, claimSweep } from '#store';
import { every, Rounds } from '#telemetry';
import type { Dispatcher } from './dispatcher.ts';

/** How often a {@link Sweeper} offers runs, and how many. */
export interface SweeperOptions {
  readonly everyMs: number;
  /** Maximum number of runs per sweep. The next sweep continues after them. */
  readonly maxRuns: number;
  /** A tail older than this is cut into chunks even if no new points arrive. */
  readonly maxTailAgeMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeatedly offers runs that have pending segments, an old tail, or series to roll up. So no lost
 * hint, dead worker or wiped queue can leave work behind. It reads only the ledger, never the
 * queue.
 */
export class Sweeper {
  readonly #store: Store;
  readonly #dispatcher: Dispatcher;
  readonly #options: SweeperOptions;
  readonly #rounds: Rounds;
  /** The last run of the previous sweep. Null if that sweep reached the end. */
  #after: PendingRun | null = null;

  constructor(store: Store, dispatcher: Dispatcher, options: SweeperOptions) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
    const { everyMs, onError } = options;
    this.#rounds = new Rounds(() => this.sweep(), { name: 'sweep', pauseMs: every(everyMs), onError });
  }

  /** Sweeps immediately, then every `everyMs`, one sweep at a time. */
  start(): void {
    this.#rounds.start();
  }

  /**
   * One sweep: a limited number of runs, starting where the last sweep ended. So a sweep does not
   * take longer when more work is pending, and every run is reached. If another process is
   * sweeping, this process skips its sweep.
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

  /** Stops sweeping. Resolves when a running sweep has ended. */
  close(): Promise<void> {
    return this.#rounds.close();
  }
}
