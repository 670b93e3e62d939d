import { type PendingTotals, readPendingTotals, type Store } from '#store';
import { every, Rounds } from '#telemetry';

/** Settings of a {@link PendingWatch}. */
export interface PendingWatchOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
  /** Reads the ledger. By default, {@link readPendingTotals}. */
  readonly read?: (receivedBefore: Date) => Promise<PendingTotals>;
}

/**
 * Periodically reads from the ledger how much is pending, and whether any process settles it. If
 * work arrives as fast as it is done, the pending amount stays the same. So progress means that
 * some segments of the last reading have been settled.
 */
export class PendingWatch {
  readonly #options: Required<PendingWatchOptions>;
  #latest: PendingTotals | null = null;
  #movedAt: number;
  readonly #rounds: Rounds;

  constructor(store: Store, options: PendingWatchOptions) {
    this.#options = { now: () => performance.now(), read: (before) => readPendingTotals(store.sweeper, before), ...options };
    this.#movedAt = this.#options.now();
    const { everyMs, onError } = this.#options;
    this.#rounds = new Rounds(() => this.#look(), { name: 'pending', pauseMs: every(everyMs), onError });
  }

  /** The last reading. Null before the first one, and after one that failed. */
  get latest(): PendingTotals | null {
    return this.#latest;
  }

  /**
   * How long pending work has made no progress, in milliseconds. 0 if it makes progress, if no work
   * is pending, or if the ledger cannot be read.
   */
  get stalledMs(): number {
    const waits = this.#latest?.oldestMs ?? null;
    return waits === null ? 0 : Math.min(waits, this.#options.now() - this.#movedAt);
  }

  /** Reads immediately and then periodically, one reading at a time. */
  start(): void {
    this.#rounds.start();
  }

  /** Reads now, or waits for the reading in progress. Never rejects. */
  look(): Promise<void> {
    return this.#rounds.now();
  }

  async #look(): Promise<void> {
    const before = this.#latest;
    try {
      const totals = await this.#options.read(before?.at ?? new Date(0));
      if (before === null || totals.oldestMs === null || totals.earlier < before.segments) this.#movedAt = this.#options.now();
      this.#latest = totals;
    } catch (error) {
      this.#latest = null; // unknown: the next successful reading restarts the measurement
      throw error;
    }
  }

  /** Stops periodic readings. Resolves when a reading in progress has ended. */
  close(): Promise<void> {
    return this.#rounds.close();
  }
}
