import { isLogName } from '#model';
import { fileLabel } from '../local/file-label.ts';
import { SameBytes } from '../local/same-bytes.ts';
import type { FoundFile } from '../local/scan.ts';
import { temporaryName } from '../local/temporary-names.ts';
import { groupBy } from '../group-by.ts';

/**
 * A file with a temporary name counts as a separate log once it has been unchanged for this long.
 */
const stillMs = 30_000;

/**
 * Maximum files with the same start to compare a file with. Runs with more such files are unusual,
 * and the service compares all of them.
 */
const maxCompared = 32;

/**
 * Dependencies of {@link Sieve}. `now`: monotonic, in milliseconds; file timestamps are not
 * trusted, because tools set them and file servers have their own clocks.
 */
export interface SieveOptions {
  readonly say: (line: string) => void;
  readonly now?: () => number;
}

/** The classified files of a scan. */
export interface Sifted {
  /** The files to upload, in scan order. */
  readonly files: readonly FoundFile[];
  /** Files with temporary names that may still be renamed, or grow. */
  readonly waiting: readonly FoundFile[];
  /** Maps the path of a copy to the file of its run that starts with the same bytes. */
  readonly copies: ReadonlyMap<string, FoundFile>;
}

/**
 * Decides which found files are logs and which are copies of logs, such as temporary files of
 * tools. Content decides: a file whose bytes are a prefix of another file of its run is not a
 * separate log. Names help: a file with a temporary name waits until it is renamed, vanishes, or
 * has been unchanged for a while. After that time it counts as a log: a log must not be lost
 * because of its name.
 */
export class Sieve {
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  readonly #bytes = new SameBytes();
  readonly #still = new Map<string, { readonly state: string; readonly since: number }>();
  /** Files with temporary names that are uploaded. */
  readonly #taken = new Map<string, string>();
  readonly #said = new Map<string, string>();

  constructor(options: SieveOptions) {
    this.#say = options.say;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Classifies the files of a scan. `noWaiting`: uploads everything that is not a copy, without
   * waiting.
   */
  async sift(found: readonly FoundFile[], noWaiting = false): Promise<Sifted> {
    const present = new Set(found.map((file) => file.path));
    this.#bytes.keep(present);
    for (const map of [this.#still, this.#taken, this.#said]) for (const path of map.keys()) if (!present.has(path)) map.delete(path);
    const waiting: FoundFile[] = [];
    const copies = new Map<string, FoundFile>();
    // Processes may print the same text, so a log of output is never a copy of another.
    const eventFiles = found.filter(({ name }) => !isLogName(name));
    for (const run of groupBy(eventFiles, (file) => file.run).values()) {
      if (run.length > 1) for (const group of await this.#bytes.alike(run)) await this.#findCopies(group, copies);
      for (const file of run) {
        const temporary = temporaryName(file.run, file.name);
        if (!temporary || copies.has(file.path) || this.#isTaken(file, noWaiting)) continue;
        waiting.push(file);
        const until = `it is uploaded after ${stillMs / 1000} s without changes`;
        this.#sayOnce(file, `is named like a temporary file of ${temporary.tool}: ${until}`);
      }
    }
    const left = new Set([...waiting.map((file) => file.path), ...copies.keys()]);
    return { files: left.size === 0 ? found : found.filter((file) => !left.has(file.path)), waiting, copies };
  }

  /**
   * Among files with the same content, the longest is the log; among files of equal length, the
   * file with the plainest name. A file that is still waiting does not make another file a copy.
   */
  async #findCopies(group: readonly FoundFile[], copies: Map<string, FoundFile>): Promise<void> {
    const named: Named[] = group.map((file) => ({ file, temporary: temporaryName(file.run, file.name) !== null }));
    const ordered = named.sort(
      (a, b) =>
        b.file.bytes - a.file.bytes ||
        Number(a.temporary) - Number(b.temporary) ||
        Buffer.byteLength(a.file.name) - Buffer.byteLength(b.file.name),
    );
    const logs: FoundFile[] = [];
    for (const { file, temporary } of ordered) {
      let log: FoundFile | null = null;
      for (const other of logs.slice(-maxCompared)) if (log === null && (await this.#bytes.begins(file, other))) log = other;
      if (log) {
        copies.set(file.path, log);
        this.#sayOnce(file, `is a copy of the beginning of ${fileLabel(log)}; not uploaded`);
      } else if (!temporary || this.#taken.get(file.path) === file.identity) logs.push(file);
    }
  }

  #isTaken(file: FoundFile, noWaiting: boolean): boolean {
    if (this.#taken.get(file.path) === file.identity) return true;
    const now = this.#now();
    const state = `${file.identity} ${file.bytes} ${file.mtimeMs}`;
    const known = this.#still.get(file.path);
    if (known?.state !== state) this.#still.set(file.path, { state, since: now });
    const isStill = known?.state === state && now - known.since >= stillMs;
    if (!isStill && !noWaiting) return false;
    this.#taken.set(file.path, file.identity);
    this.#still.delete(file.path);
    this.#sayOnce(file, 'has not changed for a while: uploading it despite its name');
    return true;
  }

  #sayOnce(file: FoundFile, what: string): void {
    if (this.#said.get(file.path) === what) return;
    this.#said.set(file.path, what);
    this.#say(`${fileLabel(file)} ${what}.`);
  }
}

interface Named {
  readonly file: FoundFile;
  readonly temporary: boolean;
}
