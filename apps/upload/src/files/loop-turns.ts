/**
 * Lets only a few callers proceed per turn of the event loop. Many bodies end at the same moment,
 * because their senders received their previous responses together. Processing all of them in one
 * turn would block every other request.
 */
export class LoopTurns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #scheduled = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /**
   * Returns null if this turn of the event loop has capacity. Otherwise, resolves in the first turn
   * that has capacity, in order of arrival.
   */
  take(): Promise<void> | null {
    this.#schedule();
    if (this.#left > 0) {
      this.#left--;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#left = this.#perTurn;
      if (this.#waiting.length > 0) this.#schedule();
      while (this.#left > 0 && this.#waiting.length > 0) {
        this.#left--;
        this.#waiting.shift()!();
      }
    });
  }
}
