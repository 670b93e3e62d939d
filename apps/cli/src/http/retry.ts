import { setTimeout as sleepFor } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import { NetworkError } from './http-client.ts';
import { retryAfterMs } from './retry-after.ts';

/**
 * Upper bound of the first delay; it doubles with each attempt. These values are guesses, short
 * enough to notice a restarted server quickly.
 */
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Clients that received the same Retry-After spread their retries over this fraction of it. */
export const jitterOfAsked = 0.25;

/** Dependencies of {@link Retry}. */
export interface RetryOptions {
  /** Gives up if nothing has succeeded for this long. */
  readonly giveUpAfterMs: number;
  /** Called before a delay, with the number of failures of this request. */
  readonly onPause?: (error: Error, pauseMs: number, failures: number) => void;
  readonly onSuccess?: () => void;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Retries temporary failures: a broken connection, 429, 5xx. Delays grow by powers of two with full
 * jitter: each is uniform between 0 and the bound. This keeps many clients of a restarted server
 * from retrying at the same time. Retry-After is a lower bound. All requests of a command share one
 * time limit. While any of them succeeds, or the server asks to wait (429), none gives up.
 */
export class Retry {
  readonly #options: Required<Omit<RetryOptions, 'onPause' | 'onSuccess'>> & Pick<RetryOptions, 'onPause' | 'onSuccess'>;
  #lastSuccess: number;

  constructor(options: RetryOptions) {
    this.#options = {
      random: Math.random,
      now: () => performance.now(),
      sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
      ...options,
    };
    this.#lastSuccess = this.#options.now();
  }

  /**
   * Runs `attempt` until it succeeds, fails permanently, or the time limit is reached. Use only for
   * requests that are safe to repeat.
   */
  async run<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let failures = 0; ;) {
      const started = this.#options.now();
      try {
        const value = await attempt();
        this.#lastSuccess = this.#options.now();
        this.#options.onSuccess?.();
        return value;
      } catch (error) {
        if (!isPassing(error) || signal?.aborted) throw error;
        failures++;
        if (failures === 1) this.#lastSuccess = Math.max(this.#lastSuccess, started);
        // A server that asks to wait is up and working.
        if (isAskedToWait(error)) this.#lastSuccess = this.#options.now();
        if (this.#options.now() - this.#lastSuccess > this.#options.giveUpAfterMs) throw error;
        // A failure on a reused connection that the server had closed proves nothing about the
        // server.
        const pauseMs = failures === 1 && error instanceof NetworkError && error.staleConnection ? 0 : this.#pauseMs(error, failures);
        if (pauseMs > 0) this.#options.onPause?.(error, pauseMs, failures);
        await this.#options.sleep(pauseMs, signal);
      }
    }
  }

  #pauseMs(error: Error, failures: number): number {
    const bound = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 20));
    const asked = error instanceof ApiError ? retryAfterMs(error.headers['retry-after']) : 0;
    return asked + Math.max(bound, asked * jitterOfAsked) * this.#options.random();
  }
}

/** Whether the server is up and asks for this request later (429). */
export function isAskedToWait(error: Error): boolean {
  return error instanceof ApiError && error.status === 429;
}

function isPassing(error: unknown): error is NetworkError | ApiError {
  return (error instanceof NetworkError && !error.permanent) || (error instanceof ApiError && error.retryable);
}
