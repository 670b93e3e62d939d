const quietMs = 10_000;

/** Says the first of many failures of one kind, and then, every ten seconds, how many there were since: an outage is one story, not a line for each request. */
export class OutageLog {
  readonly #kinds = new Map<string, { saidAt: number; since: number }>();
  readonly #now: () => number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls `say` when it is time; `earlier`: failures of this kind that were not said. */
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
