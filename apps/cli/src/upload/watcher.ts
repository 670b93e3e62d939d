import { setTimeout as sleep } from 'node:timers/promises';
import type { FoundFile, ScanResult } from '../local/scan.ts';
import type { FileUpload } from './file-upload.ts';
import { Sieve } from './sieve.ts';
import type { Uploader } from './uploader.ts';

const scanEveryMs = 1000;
/**
 * Minimum interval between uploads of a live run, unless the run has added a lot: the service
 * commits each range twice, and commits cause most of its disk writes.
 */
const sendEveryMs = 3000;
const muchBytes = 64 * 1024;
/** Large log directories are scanned less often: scanning takes at most about 10% of the time. */
const restPerScan = 10;
/**
 * A file is complete if a later file of its run exists and the file has been unchanged for this
 * long.
 */
const supersededIdleMs = 60_000;
/**
 * A file is also complete if it has been unchanged for this long. If it grows later, the server
 * reopens it.
 */
const abandonedIdleMs = 60 * 60_000;
/** Maximum files with zeros to check per scan, in addition to one file among all files. */
const maxZeroFiles = 8;

/**
 * How often to ask the service which damage it has found. The bytes there are compared with the
 * local bytes.
 */
const damageEveryMs = 15_000;

/** Dependencies of {@link Watcher}. `now` in milliseconds, monotonic. */
export interface WatcherOptions {
  readonly uploader: Uploader;
  readonly scan: () => Promise<ScanResult>;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
  readonly now?: () => number;
}

/** Scans the log directory every second and passes changes to the uploader, until stopped. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #now: () => number;
  readonly #sieve: Sieve;
  readonly #stillSince = new Map<string, { bytes: number; since: number }>();
  readonly #handed = new Map<string, { found: FoundFile; at: number }>();
  readonly #said = new Set<string>();
  #runs = new Set<string>();
  #nextSampled = 0;
  #askedForDamage: number;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#askedForDamage = this.#now();
    this.#sieve = new Sieve({ say: options.say, now: this.#now });
  }

  /** Resolves when the watcher is stopped and nothing is in flight. */
  async run(first: ScanResult): Promise<void> {
    const { uploader, stop } = this.#options;
    let working: Promise<void> | null = null;
    let fault: { readonly error: unknown } | null = null;
    let upToDate = false;
    let scanMs = 0;
    for (let seen = first; !stop.aborted;) {
      await this.take(seen);
      working ??= uploader
        .run()
        .catch((error: unknown) => {
          fault = { error };
        })
        .finally(() => {
          working = null;
        });
      await sleep(Math.max(scanEveryMs, restPerScan * scanMs), undefined, { signal: stop }).catch(() => undefined); // stopped: the wait is over
      const failed = fault as { readonly error: unknown } | null;
      if (failed) throw failed.error;
      if (!upToDate && working === null && !stop.aborted) {
        upToDate = true;
        this.#options.say('Everything is uploaded; watching for changes. Press Ctrl-C to stop.');
      }
      if (stop.aborted) break;
      const started = this.#now();
      seen = await this.#scan();
      scanMs = this.#now() - started;
    }
    await working;
  }

  /**
   * Scans the log directory. A directory that is missing for a while (or permanently) has no files;
   * it may reappear.
   */
  async #scan(): Promise<ScanResult> {
    try {
      return await this.#options.scan();
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException;
      if (code === undefined || path === undefined) throw error;
      return { files: [], remarks: [{ path, reason: 'unreadable', detail: `cannot be read (${code})` }], folders: 0 };
    }
  }

  /**
   * Passes one scan to the uploader, reports removed files, and completes files that are no longer
   * written.
   */
  async take(seen: ScanResult): Promise<void> {
    const { uploader, say } = this.#options;
    const { files } = await this.#sieve.sift(seen.files);
    for (const remark of seen.remarks) this.#sayOnce(`${remark.path}: ${remark.detail}`);
    const runs = new Set(files.map((file) => file.run));
    for (const run of runs) if (this.#runs.size > 0 && !this.#runs.has(run)) say(`New run: ${run}`);
    this.#runs = new Set([...this.#runs, ...runs]);
    const present = new Set(seen.files.map((file) => file.path));
    // Files that cannot be read, or start with zeros for a while: once they can be read, they are
    // compared with the uploaded bytes.
    const unreadable = new Set(seen.remarks.map(({ path }) => path));
    for (const file of uploader.files.values()) {
      if (present.has(file.found.path) || (file.phase !== 'settled' && file.phase !== 'failed')) continue;
      uploader.files.delete(file.found.path);
      this.#stillSince.delete(file.found.path);
      this.#handed.delete(file.found.path);
      if (!unreadable.has(file.found.path)) say(`${file.label} was deleted here; the uploaded data is kept.`);
    }
    uploader.lookAgain();
    uploader.update(files.map((found) => this.#paced(found)));
    if (this.#now() - this.#askedForDamage >= damageEveryMs) {
      this.#askedForDamage = this.#now();
      await uploader.lookWhereDamaged(this.#options.stop);
    }
    this.#sample();
    for (const [i, found] of files.entries()) {
      const file = uploader.files.get(found.path);
      if (file && this.#isOver(file, found, files[i + 1]?.run === found.run)) uploader.complete(file);
    }
  }

  /**
   * Requests checks of the sent parts of files, in rotation: bytes can change without any sign.
   * Files with zeros are checked more often.
   */
  #sample(): void {
    const { uploader } = this.#options;
    const settled = [...uploader.files.values()].filter((file) => file.phase === 'settled');
    if (settled.length === 0) return;
    const turn = this.#nextSampled++;
    const withZeros = settled.filter((file) => file.hasZeros);
    const chosen = new Set([settled[turn % settled.length]!]);
    for (let i = 0; i < Math.min(maxZeroFiles, withZeros.length); i++) chosen.add(withZeros[(turn * maxZeroFiles + i) % withZeros.length]!);
    for (const file of chosen) uploader.sample(file, false);
  }

  /**
   * The file as the uploader should see it now: its earlier state if it has grown only a little
   * since then.
   */
  #paced(found: FoundFile): FoundFile {
    const last = this.#handed.get(found.path);
    const growth = last ? found.bytes - last.found.bytes : 0;
    const same = last?.found.identity === found.identity;
    if (last && same && growth > 0 && growth < muchBytes && this.#now() - last.at < sendEveryMs - scanEveryMs / 2) return last.found;
    if (!last || !same || growth !== 0) this.#handed.set(found.path, { found, at: this.#now() });
    return found;
  }

  #isOver(file: FileUpload, found: FoundFile, laterFileInRun: boolean): boolean {
    const now = this.#now();
    const known = this.#stillSince.get(found.path);
    if (!known || known.bytes !== found.bytes) {
      this.#stillSince.set(found.path, { bytes: found.bytes, since: now });
      return false;
    }
    return file.phase === 'settled' && !file.completed && now - known.since > (laterFileInRun ? supersededIdleMs : abandonedIdleMs);
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.#options.say(line);
  }
}
