import { readFileSync } from 'node:fs';
import { type ReadText, secretIn } from './secret-files.ts';

/**
 * A secret: its value, or the file that contains it and can change. Plain data, which can be passed
 * to a worker thread.
 */
export type Secret = string | SecretFile;

/** A secret with a file that is read again. */
export interface SecretFile {
  readonly file: string;
  /** The file's content when the process started. */
  readonly atStart: string;
}

/** Minimum interval for reading files again, which happens only when a value is requested. */
const freshMs = 1_000;

/** Dependencies of {@link LiveSecret}, for tests. */
export interface LiveSecretOptions {
  /** Whether new content is valid; otherwise the file is ignored until it changes again. */
  readonly isValid?: (values: readonly string[]) => boolean;
  readonly read?: ReadText;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * The current value of a secret, or of several that are used together, such as the two parts of an
 * S3 key. Secrets in files are read again, so that they can be rotated while the process runs.
 *
 * A server may start to accept a new value before or after the file has it, so the previous value
 * is kept. {@link rejected} switches between the two. Unreadable files and invalid values are
 * ignored.
 */
export class LiveSecret {
  readonly #secrets: readonly Secret[];
  readonly #isValid: (values: readonly string[]) => boolean;
  readonly #read: ReadText;
  readonly #now: () => number;
  #newest: Version;
  #before: Version | null = null;
  #readAt: number;
  /** Counts rejections, to find the version that was rejected less recently. */
  #rejections = 0;

  constructor(secrets: Secret | readonly Secret[], options: LiveSecretOptions = {}) {
    this.#secrets = areMany(secrets) ? secrets : [secrets];
    this.#isValid = options.isValid ?? (() => true);
    this.#read = options.read ?? ((path) => readFileSync(path, 'utf8'));
    this.#now = options.now ?? (() => performance.now());
    this.#newest = { values: this.#secrets.map((secret) => (typeof secret === 'string' ? secret : secret.atStart)), rejected: 0, since: 0 };
    this.#readAt = this.#now();
  }

  /**
   * The values to use now: the newest values, or the previous ones while a server rejects the
   * newest.
   */
  get values(): readonly string[] {
    this.#refresh();
    return this.#current.values;
  }

  /** The value of a single secret. */
  get value(): string {
    return this.values[0]!;
  }

  /** The newest value and, for `graceMs` after a change, the previous value. */
  within(graceMs: number): readonly string[] {
    this.#refresh();
    const isGrace = this.#now() - this.#newest.since < graceMs;
    return [this.#newest, ...(isGrace && this.#before ? [this.#before] : [])].map(({ values }) => values[0]!);
  }

  /**
   * Call this when a server rejects these values. Returns whether there are other values to try
   * now: the file has changed, or the previous value has not been rejected since the change.
   */
  rejected(values: readonly string[]): boolean {
    this.#readAgain();
    const version = [this.#newest, this.#before].find((known) => known !== null && isSame(known.values, values));
    if (version) version.rejected = ++this.#rejections;
    return !isSame(this.#current.values, values);
  }

  get #current(): Version {
    const before = this.#before;
    return before !== null && before.rejected < this.#newest.rejected ? before : this.#newest;
  }

  #refresh(): void {
    if (this.#now() - this.#readAt >= freshMs) this.#readAgain();
  }

  #readAgain(): void {
    this.#readAt = this.#now();
    if (this.#secrets.every((secret) => typeof secret === 'string')) return;
    let values: string[];
    try {
      values = this.#secrets.map((secret) => (typeof secret === 'string' ? secret : secretIn(this.#read(secret.file))));
    } catch {
      return; // it is being replaced, or gone: what is known is still good
    }
    if (isSame(values, this.#newest.values) || values.includes('') || !this.#isValid(values)) return;
    // Two files of one key change one after another: a half-finished change must not displace
    // working values.
    if (this.#newest.rejected === 0 || this.#before === null) this.#before = this.#newest;
    this.#newest = { values, rejected: 0, since: this.#now() };
  }
}

interface Version {
  readonly values: readonly string[];
  /** The number of this version's last rejection; 0 if it was not rejected. */
  rejected: number;
  /** When it was read. */
  readonly since: number;
}

function areMany(secrets: Secret | readonly Secret[]): secrets is readonly Secret[] {
  return Array.isArray(secrets);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
