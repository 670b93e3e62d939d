import { timeOfDayLessStopwatch } from '#telemetry';

/** Less is how clocks drift, and how they are set right. */
const jumpMs = 60_000;

/**
 * What time it is for the store, as its answers tell the client library, which keeps by how much the time of day of this machine is off. When that time of day jumps, or the
 * machine has slept, the store is asked anew; until then addresses could be signed for another day.
 */
export class S3Clock {
  readonly #ask: () => Promise<unknown>;
  readonly #offset: () => number;
  /** As it was before the store was asked. */
  #base = timeOfDayLessStopwatch();
  #asking: Promise<void> | null = null;

  /** `ask`: anything that the store answers. `offset`: in milliseconds, what the client library adds to the time of day. */
  constructor(ask: () => Promise<unknown>, offset: () => number) {
    this.#ask = ask;
    this.#offset = offset;
  }

  /** Milliseconds since 1970. Asks the store only after a jump; throws what that throws. */
  async now(): Promise<number> {
    if (Math.abs(timeOfDayLessStopwatch() - this.#base) > jumpMs)
      await (this.#asking ??= this.#learn().finally(() => (this.#asking = null)));
    return Date.now() + this.#offset();
  }

  /** The same, and the store is asked in any case. */
  async ask(): Promise<number> {
    await this.#learn();
    return Date.now() + this.#offset();
  }

  async #learn(): Promise<void> {
    const base = timeOfDayLessStopwatch();
    await this.#ask();
    this.#base = base;
  }
}
