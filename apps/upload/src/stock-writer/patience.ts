import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type ProblemCode } from '#model';

/** What passes: waiting helps. */
const passing: ReadonlySet<ProblemCode> = new Set([
  'rate-limited',
  'too-much-pending',
  'too-many-uploads',
  'insufficient-storage',
  'store-unavailable',
  'not-ready',
]);

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/** For how long, and until when. */
export interface Patience {
  readonly ms: number;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Does something again while what is in its way will pass, for so long at most. A stock client tries some calls again, but only a few times; others it never does, and what it
 * was sending is lost.
 */
export async function patiently<T>({ ms, signal }: Patience, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (let nextMs = firstWaitMs; ; nextMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || !passing.has(error.code)) throw error;
      const waitMs = Math.min(error.retryAfterSeconds === null ? nextMs : error.retryAfterSeconds * 1_000, longestWaitMs);
      if (signal.aborted || performance.now() - since + waitMs > ms) throw error;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
