import { setTimeout as sleep } from 'node:timers/promises';
import { asServiceError, codeOf, isRetryable, S3Timeout, statusOf } from './s3-errors.ts';
import type { S3Limits } from './s3-options.ts';

const MiB = 1024 * 1024;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/**
 * Asks the store with a deadline for each attempt, a bounded number of attempts, a budget of time for all of them, and pauses between them that
 * grow and are random, so that many who failed together do not come back together.
 */
export class S3Calls {
  readonly limits: S3Limits;

  constructor(limits: S3Limits) {
    this.limits = limits;
  }

  /**
   * Runs `attempt` until it succeeds. `what` completes "the store refused to …"; `bytes` is how much an attempt moves at most. The signal ends the
   * attempt. Fails with what {@link asServiceError} makes of the last failure.
   */
  async run<T>(what: string, bytes: number, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { attemptMs, totalMs, attempts } = this.limits;
    const movingMs = (bytes / MiB) * 1_000;
    const startedAt = performance.now();
    for (let made = 1; ; made++) {
      try {
        const leftMs = totalMs - (performance.now() - startedAt);
        return await withDeadline(Math.min(attemptMs, leftMs) + movingMs, what, attempt);
      } catch (error) {
        const pauseMs = pause(made, error);
        const spentMs = performance.now() - startedAt + pauseMs;
        if (!isRetryable(error) || made >= attempts || spentMs >= totalMs) throw asServiceError(what, error);
        await sleep(pauseMs);
      }
    }
  }
}

/** A store that says that it is asked too much is left alone for longer. */
function pause(made: number, error: unknown): number {
  const slower = statusOf(error) === 429 || codeOf(error) === 'SlowDown' ? 4 : 1;
  const most = Math.min(firstPauseMs * slower * 2 ** (made - 1), maxPauseMs);
  return most / 2 + (Math.random() * most) / 2;
}

async function withDeadline<T>(ms: number, what: string, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new S3Timeout(`the object store took more than ${Math.round(ms)} ms to ${what}`)), ms);
  try {
    return await attempt(ended.signal);
  } catch (error) {
    // The client has its own word for a request that was ended.
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
