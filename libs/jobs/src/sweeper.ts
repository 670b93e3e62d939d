import { type PendingRun, readPendingRuns, readRunsToRollUp, readRunsWithOldTails, type Store, takeSweepTurn } from '#store';
import { isLeftOut } from '#telemetry';
import type { Dispatcher } from './dispatcher.ts';

/** How often and how much a {@link Sweeper} offers. */
export interface SweeperOptions {
  readonly everyMs: number;
  /** Of one sweep; the next one goes on behind them. */
  readonly maxRuns: number;
  /** A tail that is older is cut into chunks though nothing new arrives. */
  readonly maxTailAgeMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Offers runs that have pending segments, an old tail or series to roll up again and again, so that no lost hint, dead worker or wiped queue can leave work behind.
 * It asks the ledger only, never the queue.
 */
export class Sweeper {
  readonly #store: Store;
  readonly #dispatcher: Dispatcher;
  readonly #options: SweeperOptions;
  #timer: NodeJS.Timeout | null = null;
  #sweeping: Promise<void> | null = null;
  /** The run that the last sweep came to; null: it came to the end. */
  #after: PendingRun | null = null;

  constructor(store: Store, dispatcher: Dispatcher, options: SweeperOptions) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  /** Sweeps at once and then every `everyMs`, one sweep at a time. */
  start(): void {
    const tick = (): void => {
      this.#sweeping ??= this.sweep()
        .catch(this.#options.onError)
        .finally(() => {
          this.#sweeping = null;
        });
    };
    this.#timer = setInterval(tick, this.#options.everyMs);
    tick();
  }

  /**
   * One sweep: so many runs from where the last one ended, so that it takes no longer when more is pending, and every run has its turn. When another
   * process sweeps at this moment, it is left to that one.
   */
  async sweep(): Promise<void> {
    if (isLeftOut('sweep')) return;
    const { maxRuns, maxTailAgeMs } = this.#options;
    const found = await takeSweepTurn(this.#store.sweeper, async (sweeper) => ({
      pending: await readPendingRuns(sweeper, this.#after, maxRuns),
      tails: await readRunsWithOldTails(sweeper, maxTailAgeMs, maxRuns),
      rollups: await readRunsToRollUp(sweeper, maxRuns),
    }));
    if (!found) return;
    this.#after = found.pending.next;
    for (const run of [...found.pending.runs, ...found.tails, ...found.rollups]) this.#dispatcher.offer(run);
  }

  /** Stops sweeping; resolves when a running sweep is over. */
  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#sweeping;
  }
}
