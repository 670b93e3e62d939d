/** Work of one request between two turns of the event loop. A guess: short beside everything else that a turn does. */
const sliceMs = 5;
/** The clock is asked once for so many steps. */
const stepsPerLook = 64;

/** Lets long work give way: to other requests, after each slice of it, and for good when nobody waits for its result any more. */
export class LoopSlices {
  readonly #signal: AbortSignal;
  #since = performance.now();
  #steps = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Call after each small step. Null: go on; else go on when it resolves. It rejects when the request was cancelled. */
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
