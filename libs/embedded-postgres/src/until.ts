import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every 20 ms until the answer is yes, at most `forMs`; says whether it was. */
export async function until(condition: () => Promise<boolean>, forMs: number): Promise<boolean> {
  const deadline = performance.now() + forMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(20);
  }
}
