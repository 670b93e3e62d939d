import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when the work is done or after `ms`. In the latter case, the work continues, but nobody
 * awaits it. The timer is canceled when it is no longer needed.
 */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined)]);
  timeout.abort();
}
