/**
 * Time that one request may work between two turns of the event loop. A guess: short compared with
 * the rest of a turn.
 */
const sliceMs = 5;
/** The clock is read once per this many steps. */
const stepsPerLook = 64;

/**
 * Makes long work yield to other requests after each time slice, and stop when its request was
 * cancelled.
 */
export class LoopSlices {
  readonly #signal: AbortSignal;
  #since = performance.now();
  #steps = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Call after each small step. Null: continue; otherwise continue when it resolves. It rejects if
   * the request was cancelled.
   */
  step(): Promise<void> | null {
    if (++this.#steps % stepsPerLook !== 0 || performance.now() - this.#since < sliceMs) return null;
    return this.#next();
  }

  async #next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
