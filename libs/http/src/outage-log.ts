const quietMs = 10_000;

/**
 * Logs the first of many failures of one kind, and then, every ten seconds, how many there were
 * since: one line for an outage, not one per request.
 */
export class OutageLog {
  readonly #kinds = new Map<string, { saidAt: number; since: number }>();
  readonly #now: () => number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls `say` when a line is due; `earlier`: failures of this kind that were not logged. */
  hear(kind: string, say: (earlier: number) => void): void {
    const known = this.#kinds.get(kind);
    const now = this.#now();
    if (known && now - known.saidAt < quietMs) {
      known.since++;
      return;
    }
    this.#kinds.set(kind, { saidAt: now, since: 0 });
    say(known?.since ?? 0);
  }
}
