import { type PendingTotals, readPendingTotals, type Store } from '#store';

/** How a {@link PendingWatch} looks. */
export interface PendingWatchOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Reads the ledger; by default {@link readPendingTotals}. */
  readonly read?: (receivedBefore: Date) => Promise<PendingTotals>;
}

/**
 * Looks at the ledger now and then: how much is pending, and whether any of it is settled, by whichever process. Work that comes in as fast as it
 * is done keeps its amount; so what counts is that of the segments of the last look some are gone.
 */
export class PendingWatch {
  readonly #options: Required<PendingWatchOptions>;
  #latest: PendingTotals | null = null;
  #movedAt: number;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(store: Store, options: PendingWatchOptions) {
    this.#options = { now: () => performance.now(), read: (before) => readPendingTotals(store.sweeper, before), ...options };
    this.#movedAt = this.#options.now();
  }

  /** What the last look found; null before the first, and when it failed. */
  get latest(): PendingTotals | null {
    return this.#latest;
  }

  /** For how long work was there that nobody has done, in milliseconds; 0 while it moves, or there is none, or the ledger cannot be asked. */
  get stalledMs(): number {
    const waits = this.#latest?.oldestMs ?? null;
    return waits === null ? 0 : Math.min(waits, this.#options.now() - this.#movedAt);
  }

  start(): void {
    const tick = (): void => void this.look();
    this.#timer = setInterval(tick, this.#options.everyMs);
    tick();
  }

  /** Looks now; while one look is under way, that one. Never rejects. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    }));
  }

  async #look(): Promise<void> {
    const before = this.#latest;
    try {
      const totals = await this.#options.read(before?.at ?? new Date(0));
      if (before === null || totals.oldestMs === null || totals.earlier < before.segments) this.#movedAt = this.#options.now();
      this.#latest = totals;
    } catch (error) {
      this.#latest = null; // nothing is known: when it is asked again, it counts from then
      this.#options.onError(error);
    }
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
  }
}
