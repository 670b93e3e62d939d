import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.ts';

/** CPU seconds per second below which a service is nearly idle. */
const idleLoad = 0.1;

/** Resolves when the services have been nearly idle for three seconds, or after three minutes. */
export async function untilIdle(services: readonly Service[]): Promise<void> {
  const used = () => services.reduce((sum, service) => sum + service.usage().processorSeconds, 0);
  let quiet = 0;
  let before = used();
  for (let second = 0; second < 180 && quiet < 3; second++) {
    await delay(1_000);
    const now = used();
    quiet = now - before < idleLoad * services.length ? quiet + 1 : 0;
    before = now;
  }
}
