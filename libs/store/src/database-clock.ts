import { Problem } from '#model';
import { timeOfDayLessStopwatch } from '#telemetry';

/** For so long an answer is counted on from; then the database is asked again. */
const maxAgeMs = 60_000;
/** An answer is right to within half of what it took to come; one that took longer is not taken. */
const maxRoundTripMs = 10_000;
/** The machine has slept for more than this, or its time of day jumped: what was counted on may be too little. */
const maxApartMs = 5_000;

/**
 * The time of the database, which all processes share; that of a process's own machine may be a day off, or jump. It is asked for once a minute, when somebody wants to
 * know, and from there on it is counted by a clock that only measures how long something takes: nobody sets that one. It stands still while the machine sleeps; so the database
 * is asked anew, too, when the time of day has moved otherwise than it did, however that came about.
 */
export class DatabaseClock {
  readonly #ask: () => Promise<number>;
  readonly #elapsed: () => number;
  readonly #apart: () => number;
  #known: { readonly ahead: number; readonly until: number; readonly apart: number } | null = null;
  #asking: Promise<void> | null = null;

  /** `ask`: the database, for milliseconds since 1970. `elapsed`: milliseconds of a clock that never goes back. `apart`: by how many the time of day is ahead of that clock. */
  constructor(ask: () => Promise<number>, elapsed: () => number = () => performance.now(), apart: () => number = timeOfDayLessStopwatch) {
    this.#ask = ask;
    this.#elapsed = elapsed;
    this.#apart = apart;
  }

  /** Whole milliseconds since 1970, as a `Date` has them, right to within five seconds. Throws when the database cannot be asked, `store-unavailable` when it is too slow: an older answer is no time. */
  async now(): Promise<number> {
    // Once more after an answer during which the machine slept.
    while (!this.#known || this.#isOld(this.#known)) await (this.#asking ??= this.#learn().finally(() => (this.#asking = null)));
    return Math.floor(this.#known.ahead + this.#elapsed());
  }

  #isOld({ until, apart }: { readonly until: number; readonly apart: number }): boolean {
    return this.#elapsed() >= until || Math.abs(this.#apart() - apart) > maxApartMs;
  }

  async #learn(): Promise<void> {
    const apart = this.#apart();
    const asked = this.#elapsed();
    const time = await this.#ask();
    const answered = this.#elapsed();
    if (answered - asked > maxRoundTripMs)
      throw new Problem('store-unavailable', 'The database took too long to return its time. Try again in a moment.');
    this.#known = { ahead: time - (asked + answered) / 2, until: answered + maxAgeMs, apart };
  }
}
