import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type ProblemCode } from '#model';

/** Temporary problems: waiting helps. */
const temporary: ReadonlySet<ProblemCode> = new Set([
  'rate-limited',
  'too-much-pending',
  'too-many-uploads',
  'insufficient-storage',
  'store-unavailable',
  'not-ready',
]);

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/** How long to retry, and when to stop. */
export interface RetryLimit {
  readonly ms: number;
  /** Aborted if the caller no longer waits. */
  readonly signal: AbortSignal;
}

/**
 * Retries work while its problem is temporary, up to a time limit. A stock client retries some
 * calls only a few times and others never, and then loses the data that it was sending.
 */
export async function retryTemporary<T>({ ms, signal }: RetryLimit, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (let nextMs = firstWaitMs; ; nextMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || !temporary.has(error.code)) throw error;
      const waitMs = Math.min(error.retryAfterSeconds === null ? nextMs : error.retryAfterSeconds * 1_000, longestWaitMs);
      if (signal.aborted || performance.now() - since + waitMs > ms) throw error;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
