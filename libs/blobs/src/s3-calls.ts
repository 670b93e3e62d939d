import { setTimeout as sleep } from 'node:timers/promises';
import { observeObjectStore } from '#telemetry';
import { asServiceError, codeOf, isRetryable, S3Timeout, statusOf } from './s3-errors.ts';
import type { S3Key, S3Keys } from './s3-keys.ts';
import type { S3Limits } from './s3-options.ts';

const MiB = 1024 * 1024;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/**
 * Calls the store with a timeout per attempt, a limited number of attempts, a total time limit, and
 * randomized exponential backoff (so that callers that failed together do not retry together).
 */
export class S3Calls {
  readonly limits: S3Limits;
  readonly #keys: S3Keys | null;

  /**
   * `keys`: the client's keys. If the store rejects a call's key, the call is repeated immediately
   * with another key.
   */
  constructor(limits: S3Limits, keys: S3Keys | null = null) {
    this.limits = limits;
    this.#keys = keys;
  }

  /**
   * Runs `attempt` until it succeeds. `what` completes "the object store rejected a request to …".
   * `bytes` is the maximum that an attempt transfers. The signal aborts the attempt. Throws the
   * last failure, converted by {@link asServiceError}.
   */
  async run<T>(what: string, bytes: number, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { attemptMs, totalMs, attempts } = this.limits;
    const movingMs = (bytes / MiB) * 1_000;
    const startedAt = performance.now();
    for (let made = 1; ; made++) {
      let key: S3Key | undefined;
      let since = performance.now();
      try {
        key = await this.#keys?.current();
        since = performance.now();
        const leftMs = totalMs - (performance.now() - startedAt);
        const result = await withDeadline(Math.min(attemptMs, leftMs) + movingMs, what, attempt);
        observe(what, 'ok', since);
        return result;
      } catch (error) {
        observe(what, 'failed', since);
        if (key && made < attempts && this.#keys?.hasOther(key, error)) continue;
        const pauseMs = pause(made, error);
        const spentMs = performance.now() - startedAt + pauseMs;
        if (!isRetryable(error) || made >= attempts || spentMs >= totalMs) throw asServiceError(what, error);
        await sleep(pauseMs);
      }
    }
  }
}

/** `what` begins with the verb for the operation. */
function observe(what: string, result: 'ok' | 'failed', since: number): void {
  observeObjectStore({ operation: what.split(' ', 1)[0]!, result, seconds: (performance.now() - since) / 1_000 });
}

/** Backs off longer when the store reports overload. */
function pause(made: number, error: unknown): number {
  const slower = statusOf(error) === 429 || codeOf(error) === 'SlowDown' ? 4 : 1;
  const max = Math.min(firstPauseMs * slower * 2 ** (made - 1), maxPauseMs);
  return max / 2 + (Math.random() * max) / 2;
}

async function withDeadline<T>(ms: number, what: string, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new S3Timeout(`the object store took more than ${Math.round(ms)} ms to ${what}`)), ms);
  try {
    return await attempt(ended.signal);
  } catch (error) {
    // The client reports an aborted request with its own error.
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
