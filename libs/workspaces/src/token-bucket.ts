/** The result of taking tokens. */
export interface Taken {
  /** At most the requested number. */
  readonly granted: number;
  /** Tokens left afterwards. */
  readonly left: number;
  /** Milliseconds until the next token; 0 if tokens are available. */
  readonly waitMs: number;
}

/**
 * A bucket with a capacity of one minute's tokens, refilled evenly. After a minute without
 * requests, all tokens can be used at the same time; over longer times, the rate is at most
 * `perMinute`.
 */
export class TokenBucket {
  #tokens: number;
  #perMinute: number;
  #at: number;

  /** `now` returns milliseconds of a monotonic clock. The bucket starts full. */
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

  /** Whether the bucket is full, and therefore equal to a new bucket. */
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
