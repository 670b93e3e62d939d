import { timeOfDayLessStopwatch } from '#telemetry';

/** Smaller differences are due to normal drift and its correction. */
const jumpMs = 60_000;

/**
 * The store's time: the client library learns the offset of this machine's clock from responses. If
 * the time of day jumps, or the machine has slept, this class asks the store for the time again.
 * Otherwise, URLs could be signed for the wrong day.
 */
export class S3Clock {
  readonly #ask: () => Promise<unknown>;
  readonly #offset: () => number;
  /** Measured before the request to the store. */
  #base = timeOfDayLessStopwatch();
  #asking: Promise<void> | null = null;

  /**
   * `ask` sends any request to which the store responds. `offset` returns the milliseconds that the
   * client library adds to the time of day.
   */
  constructor(ask: () => Promise<unknown>, offset: () => number) {
    this.#ask = ask;
    this.#offset = offset;
  }

  /**
   * Milliseconds since 1970. Queries the store only after a jump, and throws the error of that
   * request.
   */
  async now(): Promise<number> {
    if (Math.abs(timeOfDayLessStopwatch() - this.#base) > jumpMs)
      await (this.#asking ??= this.#learn().finally(() => (this.#asking = null)));
    return Date.now() + this.#offset();
  }

  /** Like {@link now}, but always queries the store. */
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
