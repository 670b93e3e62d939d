import { setTimeout as sleepFor } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import { jitterOfAsked } from './retry.ts';
import { retryAfterMs } from './retry-after.ts';

/** What {@link Throttle} needs of the world. */
export interface ThrottleOptions {
  /** Requests under way at the same time, at most. */
  readonly atOnce: number;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Obeys a server that asks to wait (429, or 503 with Retry-After): until then no request of this kind is begun, on any connection, and
 * afterwards half as many go side by side. Every so many that succeed, one more may.
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

  /** How many requests may be under way now. */
  get allowed(): number {
    return this.#allowed;
  }

  /** Runs `request` when it is its turn. Throws what it throws, and the reason of `signal` when that ends the wait. */
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
    // Requests that were under way together are told the same thing: that is one refusal, not several.
    if (this.#now() >= this.#heldUntil) this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#heldUntil = Math.max(this.#heldUntil, this.#now() + askedMs * (1 + jitterOfAsked * this.#random()));
  }
}
