import { setTimeout as sleepFor } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import { NetworkError } from './http-client.ts';

/** First pause; each further one may be twice as long. Guesses: short enough that a restarted server is found at once. */
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A Retry-After beyond this is shortened to it. */
const longestRetryAfterMs = 120_000;

/** What {@link Retry} needs of the world. */
export interface RetryOptions {
  /** Gives up when nothing has succeeded for this long. */
  readonly giveUpAfterMs: number;
  /** Called before a pause, with how often this request has failed. */
  readonly onPause?: (error: Error, pauseMs: number, failures: number) => void;
  readonly onSuccess?: () => void;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Repeats requests that failed in passing: a broken connection, 429, 5xx. Pauses grow by powers of two with full jitter (each is
 * uniform between 0 and the bound), so that many clients of a restarted server do not come back in step; Retry-After is a lower bound.
 * All requests of a command share one patience: while any of them succeeds, none gives up.
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

  /** Runs `attempt` until it succeeds, fails for good, or patience ends. Must only be given requests that can be repeated. */
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
        if (this.#options.now() - this.#lastSuccess > this.#options.giveUpAfterMs) throw error;
        // A kept connection that the server had closed says nothing about the server.
        const pauseMs = failures === 1 && error instanceof NetworkError && error.staleConnection ? 0 : this.#pauseMs(error, failures);
        if (pauseMs > 0) this.#options.onPause?.(error, pauseMs, failures);
        await this.#options.sleep(pauseMs, signal);
      }
    }
  }

  #pauseMs(error: Error, failures: number): number {
    const bound = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 20));
    const jittered = bound * this.#options.random();
    const asked = error instanceof ApiError ? retryAfterMs(error.headers['retry-after']) : 0;
    return Math.min(longestRetryAfterMs, asked) + jittered;
  }
}

function isPassing(error: unknown): error is NetworkError | ApiError {
  return (error instanceof NetworkError && !error.permanent) || (error instanceof ApiError && error.retryable);
}

/** RFC 9110, 10.2.3: seconds, or a date. What cannot be read counts as 0. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number {
  if (value === undefined) return 0;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
