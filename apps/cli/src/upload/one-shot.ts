import { setTimeout as sleep } from 'node:timers/promises';
import type { ScanResult } from '../local/scan.ts';
import { Sieve } from './sieve.ts';
import type { Uploader } from './uploader.ts';

const lookEveryMs = 1000;
/** After this time, temporary files are uploaded even if they keep changing. */
const maxWaitMs = 120_000;

/** Dependencies of {@link uploadOnce}. */
export interface OneShotOptions {
  readonly uploader: Uploader;
  readonly scan: () => Promise<ScanResult>;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Uploads the files that a scan found, and returns when everything is uploaded. Waits until files
 * with temporary names are renamed or stop changing, and until this machine sees as much of a file
 * as the server has. Other runs are not scanned again.
 */
export async function uploadOnce(options: OneShotOptions, first: ScanResult): Promise<void> {
  const { uploader, say, stop } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined));
  const sieve = new Sieve({ say, now });
  const until = now() + maxWaitMs;
  for (let files = first.files; ;) {
    const sifted = await sieve.sift(files, now() >= until);
    uploader.update(sifted.files);
    await uploader.run();
    if (stop.aborted || (sifted.waiting.length === 0 && !uploader.hasDoubts)) return;
    await wait(lookEveryMs, stop);
    uploader.lookAgain();
    const runs = new Set(sifted.waiting.map((file) => file.run));
    files = runs.size === 0 ? [] : (await options.scan()).files.filter((file) => runs.has(file.run));
  }
}
