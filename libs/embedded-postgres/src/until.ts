import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Checks the condition every 20 ms until it is true, for at most `forMs`; returns whether it became
 * true.
 */
export async function until(condition: () => Promise<boolean>, forMs: number): Promise<boolean> {
  const deadline = performance.now() + forMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(20);
  }
}
