/**
 * Lets a few go on in each turn of the event loop. Many bodies end at the same moment, because those who send them were answered at the same moment; done in
 * one go, what follows would keep everybody else waiting for as long as it takes for all of them together.
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

  /** Null when there is room in this turn of the loop; else resolves in the first turn that has some, first come first served. */
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
