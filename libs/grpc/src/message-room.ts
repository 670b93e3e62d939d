/** Room that a call has for its message. */
export interface Room {
  /** Keeps no more than this: the message is here, and has at most so many bytes. */
  shrinkTo(bytes: number): void;
  /** May be called again. */
  giveBack(): void;
}

const MiB = 1024 * 1024;
/** A guess: a fraction of what a process has, and dozens of the largest messages at once. */
const usualMostBytes = 512 * MiB;

/**
 * Bounds what messages take that are read, or answered, at the same moment by this process: the transport has a bound for one message, and clients may begin as many as they
 * like. One holder (a workspace, or an address that nobody is known to send from) has at most half of what the others leave, so that nobody keeps all others out.
 */
export class MessageRoom {
  readonly #mostBytes: number;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(mostBytes = usualMostBytes) {
    this.#mostBytes = mostBytes;
  }

  /** Waits until there is room; null when there was none for so long. */
  async take(holder: string, bytes: number, patienceMs: number): Promise<Room | null> {
    const until = performance.now() + patienceMs;
    while (!this.#fits(holder, bytes)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return null;
      await this.#nextChange(leftMs);
    }
    this.#change(holder, bytes);
    let kept = bytes;
    const shrinkTo = (rest: number): void => {
      if (rest >= kept) return;
      this.#change(holder, rest - kept);
      kept = rest;
      for (const wake of this.#waiting) wake();
    };
    return { shrinkTo, giveBack: () => shrinkTo(0) };
  }

  #fits(holder: string, bytes: number): boolean {
    const own = this.#held.get(holder) ?? 0;
    return own + bytes <= (this.#mostBytes - (this.#taken - own)) / 2;
  }

  #change(holder: string, bytes: number): void {
    this.#taken += bytes;
    const own = (this.#held.get(holder) ?? 0) + bytes;
    if (own > 0) this.#held.set(holder, own);
    else this.#held.delete(holder);
  }

  /** Resolves when somebody gives room back, or after that time. */
  #nextChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
