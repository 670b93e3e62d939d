import { runToEnd } from '#admission';
import { Problem } from '#model';
import { timeOfDayLessStopwatch } from '#telemetry';

/** How long a reading is extrapolated before the database is read again. */
const maxAgeMs = 60_000;
/** A reading is accurate to half of its round trip. Slower readings are discarded. */
const maxRoundTripMs = 10_000;
/**
 * A larger difference means that the machine slept or its time of day jumped, so the extrapolated
 * time may be too low.
 */
const maxApartMs = 5_000;

/**
 * The database's time, which all processes share. The clock of a process's machine may be off by a
 * day, or jump. The database is read on demand, at most once a minute. In between, time is
 * extrapolated with a monotonic clock, which cannot be set. That clock stops while the machine
 * sleeps, so the database is also read again whenever the time of day advances by a different
 * amount.
 */
export class DatabaseClock {
  readonly #ask: () => Promise<number>;
  readonly #elapsed: () => number;
  readonly #apart: () => number;
  #known: { readonly ahead: number; readonly until: number; readonly apart: number } | null = null;
  #asking: Promise<void> | null = null;

  /**
   * `ask` reads the database's time in milliseconds since 1970. `elapsed` returns the milliseconds
   * of a monotonic clock. `apart` returns how far the time of day is ahead of that clock.
   */
  constructor(ask: () => Promise<number>, elapsed: () => number = () => performance.now(), apart: () => number = timeOfDayLessStopwatch) {
    this.#ask = ask;
    this.#elapsed = elapsed;
    this.#apart = apart;
  }

  /**
   * Returns whole milliseconds since 1970, as in a `Date`, accurate to five seconds. Throws if the
   * database cannot be read. Throws `store-unavailable` if it is too slow, because an older reading
   * is not accurate.
   */
  async now(): Promise<number> {
    // Reads again if the machine slept during the reading.
    while (!this.#known || this.#isOld(this.#known))
      await (this.#asking ??= runToEnd(() => this.#learn()).finally(() => (this.#asking = null)));
    return Math.floor(this.#known.ahead + this.#elapsed());
  }

  #isOld({ until, apart }: { readonly until: number; readonly apart: number }): boolean {
    return this.#elapsed() >= until || Math.abs(this.#apart() - apart) > maxApartMs;
  }

  async #learn(): Promise<void> {
    const apart = this.#apart();
    const asked = this.#elapsed();
    const time = await this.#ask();
    const responded = this.#elapsed();
    if (responded - asked > maxRoundTripMs)
      throw new Problem('store-unavailable', 'The database took too long to return its time. Try again in a moment.');
    this.#known = { ahead: time - (asked + responded) / 2, until: responded + maxAgeMs, apart };
  }
}
