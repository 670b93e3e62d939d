import { Problem } from '#model';

/** For so long an answer is counted on from; then the database is asked again. */
const maxAgeMs = 60_000;
/** An answer is right to within half of what it took to come; one that took longer is not taken. */
const maxRoundTripMs = 10_000;

/**
 * The time of the database, which all processes share; that of a process's own machine may be a day off, or jump. It is asked for once a minute, when somebody wants to
 * know, and from there on it is counted by a clock that only measures how long something takes: nobody sets that one.
 */
export class DatabaseClock {
  readonly #ask: () => Promise<number>;
  readonly #elapsed: () => number;
  #known: { readonly ahead: number; readonly until: number } | null = null;
  #asking: Promise<void> | null = null;

  /** `ask`: the database, for milliseconds since 1970. `elapsed`: milliseconds of a clock that never goes back. */
  constructor(ask: () => Promise<number>, elapsed: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#elapsed = elapsed;
  }

  /** Whole milliseconds since 1970, as a `Date` has them, right to within five seconds. Throws when the database cannot be asked, `store-unavailable` when it is too slow: an older answer is no time. */
  async now(): Promise<number> {
    if (!this.#known || this.#elapsed() >= this.#known.until) await (this.#asking ??= this.#learn().finally(() => (this.#asking = null)));
    return Math.floor(this.#known!.ahead + this.#elapsed());
  }

  async #learn(): Promise<void> {
    const asked = this.#elapsed();
    const time = await this.#ask();
    const answered = this.#elapsed();
    if (answered - asked > maxRoundTripMs)
      throw new Problem('store-unavailable', 'The database takes too long to say what time it is; try again in a moment.');
    this.#known = { ahead: time - (asked + answered) / 2, until: answered + maxAgeMs };
  }
}
