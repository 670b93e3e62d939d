import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when the work is done, or after `ms`; then the work continues unawaited. The timer is
 * cancelled when it is no longer needed.
 */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined)]);
  timeout.abort();
}
