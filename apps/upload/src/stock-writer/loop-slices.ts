import { pauseIfLong } from '#admission';

/** The clock is read once per this many steps. */
const stepsPerLook = 64;

/**
 * Makes long work yield to other requests after each time slice, and stop when its request is
 * canceled. The slices rotate among the shares.
 */
export class LoopSlices {
  readonly #signal: AbortSignal;
  #steps = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Call this after each small step. If it returns null, continue immediately. Otherwise, continue
   * when the promise resolves; it rejects if the request was canceled.
   */
  step(): Promise<void> | null {
    if (++this.#steps % stepsPerLook !== 0) return null;
    const pause = pauseIfLong();
    return pause ? this.#after(pause) : null;
  }

  async #after(pause: Promise<void>): Promise<void> {
    await pause;
    this.#signal.throwIfAborted();
  }
}
