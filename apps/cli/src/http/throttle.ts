import { setTimeout as sleepFor } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import { jitterOfAsked } from './retry.ts';
import { retryAfterMs } from './retry-after.ts';

/** Dependencies of {@link Throttle}. */
export interface ThrottleOptions {
  /** Maximum concurrent requests. */
  readonly atOnce: number;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Throttles requests when the server asks for it (429, or 503 with Retry-After). Starts no request
 * of this kind on any connection until the requested time, and then halves the concurrency. Raises
 * the concurrency by one after a number of successes.
 */
export class Throttle {
  readonly #atOnce: number;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #allowed: number;
  #running = 0;
  #succeeded = 0;
  #heldUntil = -Infinity;

  constructor(options: ThrottleOptions) {
    this.#atOnce = options.atOnce;
    this.#allowed = options.atOnce;
    this.#random = options.random ?? Math.random;
    this.#now = options.now ?? (() => performance.now());
    this.#sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal }));
  }

  /** The current concurrency limit. */
  get allowed(): number {
    return this.#allowed;
  }

  /**
   * Runs `request` when the limit allows. Throws its error, or the abort reason of `signal` if the
   * signal ends the wait.
   */
  async run<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    while (this.#running >= this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      for (let ms = this.#heldUntil - this.#now(); ms > 0; ms = this.#heldUntil - this.#now()) await this.#sleep(ms, signal);
      const result = await request();
      this.#speedUp();
      return result;
    } catch (error) {
      this.#slowDown(error);
      throw error;
    } finally {
      this.#running--;
      for (const next of this.#waiting.splice(0)) next();
    }
  }

  #speedUp(): void {
    if (this.#allowed === this.#atOnce || ++this.#succeeded < this.#allowed) return;
    this.#succeeded = 0;
    this.#allowed++;
  }

  #slowDown(error: unknown): void {
    if (!(error instanceof ApiError) || (error.status !== 429 && error.status !== 503)) return;
    const askedMs = retryAfterMs(error.headers['retry-after']);
    if (askedMs === 0) return;
    this.#succeeded = 0;
    // Concurrent requests get the same response, which counts once.
    if (this.#now() >= this.#heldUntil) this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#heldUntil = Math.max(this.#heldUntil, this.#now() + askedMs * (1 + jitterOfAsked * this.#random()));
  }
}
