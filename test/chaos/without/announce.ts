import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * The line on stderr of a process that runs without a safeguard. `Stack.runWithout` waits for it.
 */
export const announcementOf = (safeguard: string): string => `runs without the safeguard ${safeguard}`;

export function announce(safeguard: string): void {
  if (isMainThread) writeSync(2, `${announcementOf(safeguard)}\n`);
}
