import { EventFile } from './event-file.ts';
import type { FoundFile } from './scan.ts';

const readBytes = 1024 * 1024;
/**
 * The first record's length and its checksum, and the wall time at its start, which differs between
 * separately written logs.
 */
const minBytes = 24;

/**
 * How many bytes are compared again, at the start and before the position where a comparison
 * resumes: a file may have been overwritten in place.
 */
const lookedAgain = 64 * 1024;

interface Known {
  readonly pair: string;
  /** The state of both files when they were compared. */
  readonly states: string;
  /** The length of the equal prefix. */
  readonly upTo: number;
  /** The next byte differs. */
  readonly differs: boolean;
}

/**
 * Compares files by their bytes, and caches how far each pair is equal, so only the new bytes of
 * growing files are read.
 */
export class SameBytes {
  readonly #known = new Map<string, Known>();
  readonly #beginnings = new Map<string, { readonly state: string; readonly beginning: string }>();
  readonly #a = Buffer.allocUnsafeSlow(readBytes);
  readonly #b = Buffer.allocUnsafeSlow(readBytes);

  /**
   * Whether all bytes of `short` are the first bytes of `long`. Files shorter than the start of a
   * record never match, and neither do files that vanish or cannot be read: the next check decides.
   */
  async begins(short: FoundFile, long: FoundFile): Promise<boolean> {
    if (short.bytes < minBytes || short.bytes > long.bytes) return false;
    const key = `${short.path}\0${long.path}`;
    const pair = `${short.identity} ${long.identity}`;
    const known = this.#known.get(key);
    const states = `${stateOf(short)} ${stateOf(long)}`;
    if (known?.states === states) return !known.differs;
    const from = known?.pair === pair && known.upTo <= short.bytes ? known.upTo : 0;
    const upTo = await this.#goOn(short, long, from);
    if (upTo === null) return false;
    const differs = upTo < short.bytes;
    this.#known.set(key, { pair, states, upTo, differs });
    return !differs;
  }

  /**
   * Groups files with the same start, in groups of two or more. Reads a few bytes of each file,
   * once.
   */
  async alike(files: readonly FoundFile[]): Promise<FoundFile[][]> {
    const groups = new Map<string, FoundFile[]>();
    for (const file of files) {
      if (file.bytes < minBytes) continue;
      const beginning = await this.#beginningOf(file);
      if (beginning === null) continue;
      const group = groups.get(beginning);
      if (group) group.push(file);
      else groups.set(beginning, [file]);
    }
    return [...groups.values()].filter((group) => group.length > 1);
  }

  /** Forgets removed files. */
  keep(paths: ReadonlySet<string>): void {
    for (const key of this.#known.keys()) {
      const [short, long] = key.split('\0') as [string, string];
      if (!paths.has(short) || !paths.has(long)) this.#known.delete(key);
    }
    for (const path of this.#beginnings.keys()) if (!paths.has(path)) this.#beginnings.delete(path);
  }

  async #beginningOf(found: FoundFile): Promise<string | null> {
    const { path } = found;
    const state = stateOf(found);
    const known = this.#beginnings.get(path);
    if (known?.state === state) return known.beginning;
    try {
      const file = await EventFile.open(path);
      try {
        const into = this.#a.subarray(0, minBytes);
        if ((await file.read(into, 0)) < minBytes) return null;
        const beginning = into.toString('latin1');
        this.#beginnings.set(path, { state, beginning });
        return beginning;
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return null;
    }
  }

  /** Continues after the `from` bytes that were equal, if they still appear equal. */
  async #goOn(short: FoundFile, long: FoundFile, from: number): Promise<number | null> {
    if (from === 0) return this.#equalBytes(short, long, 0, short.bytes);
    for (const [start, end] of [
      [0, Math.min(from, 4096)],
      [Math.max(0, from - lookedAgain), from],
    ] as const) {
      const upTo = await this.#equalBytes(short, long, start, end);
      if (upTo !== end) return upTo === null ? null : this.#equalBytes(short, long, 0, short.bytes);
    }
    return this.#equalBytes(short, long, from, short.bytes);
  }

  /**
   * The number of equal first bytes, up to `end`, if the first `from` bytes are equal. Null if one
   * of the files cannot be read that far.
   */
  async #equalBytes(short: FoundFile, long: FoundFile, from: number, end: number): Promise<number | null> {
    const open: EventFile[] = [];
    try {
      for (const { path } of [short, long]) open.push(await EventFile.open(path));
      const [one, other] = open as [EventFile, EventFile];
      // Most files differ at their start, so few of their bytes are read.
      let size = 4096;
      for (let at = from; at < end; size = readBytes) {
        const length = Math.min(size, end - at);
        const a = this.#a.subarray(0, length);
        const b = this.#b.subarray(0, length);
        if ((await one.read(a, at)) < length || (await other.read(b, at)) < length) return null;
        if (!a.equals(b)) return at + firstDifference(a, b);
        at += length;
      }
      return end;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return null;
    } finally {
      for (const file of open) await file.close();
    }
  }
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function stateOf({ identity, bytes, mtimeMs }: FoundFile): string {
  return `${identity} ${bytes} ${mtimeMs}`;
}
