import { setTimeout as sleep } from 'node:timers/promises';
import type { ScanResult } from '../local/scan.ts';

const scanEveryMs = 1000;

/**
 * Scans a log directory until it contains an event file, and reports once that it is waiting and
 * why existing files are not event files. Returns the last scan; after `stop` it may be empty.
 */
export async function waitForFiles(
  first: ScanResult,
  options: { logdir: string; scan: () => Promise<ScanResult>; say: (line: string) => void; stop: AbortSignal },
): Promise<ScanResult> {
  const { logdir, scan, say, stop } = options;
  const said = new Set<string>();
  let seen = first;
  if (seen.files.length === 0) say(`No event files in ${logdir} yet; waiting. Press Ctrl-C to stop.`);
  while (seen.files.length === 0 && !stop.aborted) {
    for (const { path, detail } of seen.remarks) {
      if (!said.has(path)) say(`${path}: ${detail}`);
      said.add(path);
    }
    await sleep(scanEveryMs, undefined, { signal: stop }).catch(() => undefined); // stopped: the wait is over
    if (stop.aborted) break;
    seen = await scan();
  }
  return seen;
}
