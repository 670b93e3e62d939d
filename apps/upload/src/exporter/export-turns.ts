/** Each export keeps a connection to the database; so many may do that in one process, and the others wait for their turn. */
const maxExports = 3;

/** Lets a few in at a time, in the order in which they came. */
export class ExportTurns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most = maxExports) {
    this.#free = most;
  }

  /** Waits for a turn; gives what ends it, to be called once. Throws when `signal` is aborted before. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
