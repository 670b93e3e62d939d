/** What came of asking for tokens. */
export interface Taken {
  /** At most as many as were asked for. */
  readonly granted: number;
  /** Tokens that are left afterwards. */
  readonly left: number;
  /** Milliseconds until there is one; 0 while there are some. */
  readonly waitMs: number;
}

/**
 * A bucket that holds as many tokens as one minute brings, and is filled evenly. Whoever was quiet for a minute may use them all at once; over
 * longer times nobody gets more than `perMinute`.
 */
export class TokenBucket {
  #tokens: number;
  #perMinute: number;
  #at: number;

  /** `now`: milliseconds of a clock that never goes back. Begins full. */
  constructor(perMinute: number, now: number) {
    this.#tokens = perMinute;
    this.#perMinute = perMinute;
    this.#at = now;
  }

  take(wanted: number, perMinute: number, now: number): Taken {
    this.#fill(perMinute, now);
    const granted = Math.min(wanted, Math.floor(this.#tokens));
    this.#tokens -= granted;
    const left = Math.floor(this.#tokens);
    return { granted, left, waitMs: left > 0 || granted > 0 ? 0 : waitMs(this.#tokens, perMinute) };
  }

  /** Whether it holds all that it can: then a new one would be the same. */
  isFull(now: number): boolean {
    return this.#tokens + ((now - this.#at) * this.#perMinute) / 60_000 >= this.#perMinute;
  }

  #fill(perMinute: number, now: number): void {
    this.#tokens = Math.min(perMinute, this.#tokens + ((now - this.#at) * perMinute) / 60_000);
    this.#perMinute = perMinute;
    this.#at = now;
  }
}

function waitMs(tokens: number, perMinute: number): number {
  return Math.ceil(((1 - tokens) * 60_000) / perMinute);
}
