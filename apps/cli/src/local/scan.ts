import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isLogName, type RunName } from '#model';
import { Beginnings } from './beginnings.ts';
import { otherToolsFile, otherToolsFolder } from './other-tools.ts';
import type { PathFilter } from './path-filter.ts';

/** An event file or a run's log, found by a scan. */
export interface FoundFile {
  /** The path to open. */
  readonly path: string;
  /** Folder below the log directory, always with `/`; `.` for the log directory itself. */
  readonly run: RunName;
  /** Base name. */
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** Device and inode: changes when the file is replaced by another file. */
  readonly identity: string;
}

/** Something in the log directory that is not uploaded, although users might expect it. */
export interface ScanRemark {
  readonly path: string;
  readonly reason:
    'unreadable' | 'not-utf8' | 'link-loop' | 'linked-twice' | 'link-outside' | 'no-event-file' | 'not-written-yet' | 'other-tool';
  readonly detail: string;
}

/**
 * The result of a scan: files sorted by run and name in byte order, so the order is always the same
 * for the same folder.
 */
export interface ScanResult {
  readonly files: readonly FoundFile[];
  readonly remarks: readonly ScanRemark[];
  readonly folders: number;
}

/**
 * A scan blocks the event loop for at most this long at a time, even if each stat is slow (network
 * file systems).
 */
const turnAfterMs = 10;

/** Options of a scan. */
export interface ScanOptions {
  /** Whether to follow links that lead outside the log directory. */
  readonly followLinks?: boolean;
  /** Cached results of earlier scans of the same directory. */
  readonly beginnings?: Beginnings;
}

/**
 * Finds the event files below a log directory, and the logs of runs beside them. By data rule 10,
 * event files are regular files with `tfevents` in their name that start with a record or are still
 * empty; a folder with such a name is an ordinary folder. Follows symbolic links inside the
 * directory, so a link and its target are both runs. Follows links that lead outside only on
 * request, because a repository or an archive may contain links to anything. A folder is entered
 * through links at most once and never from inside itself, which rules out loops. Skips files that
 * vanish during the scan: the next scan decides. Throws if the log directory itself cannot be read.
 */
export async function scan(logdir: string, filter: PathFilter, options: ScanOptions = {}): Promise<ScanResult> {
  await stat(logdir);
  const walk = new Walk(filter, options.followLinks ? null : realpathSync(logdir), options.beginnings ?? new Beginnings());
  const stack: Folder[] = [{ path: logdir, run: '.', parent: null, linked: false, identity: null }];
  let turned = performance.now();
  for (let folder = stack.pop(); folder; folder = stack.pop()) {
    stack.push(...walk.enter(folder).reverse());
    if (performance.now() - turned > turnAfterMs) {
      await turn();
      turned = performance.now();
    }
  }
  return walk.result();
}

/** Device and inode of a file. */
export function fileIdentity(at: Stats): string {
  return `${at.dev}:${at.ino}`;
}

/** A found file with its current state. */
export function foundAgain(found: FoundFile, now: Stats): FoundFile {
  return { ...found, bytes: now.size, mtimeMs: now.mtimeMs, identity: fileIdentity(now) };
}

interface Folder {
  readonly path: string;
  readonly run: RunName;
  readonly parent: Folder | null;
  /** Whether the file or folder was reached through a symbolic link. */
  readonly linked: boolean;
  /** Looked up only if a link could lead back to it. */
  identity: string | null;
}

/**
 * One scan. Uses synchronous calls, because they need 10% of the CPU time of asynchronous calls,
 * and a watcher makes thousands of calls per second.
 */
class Walk {
  readonly #filter: PathFilter;
  /** The real path that links must not leave; null if they may lead anywhere. */
  readonly #within: string | null;
  readonly #beginnings: Beginnings;
  readonly #files: FoundFile[] = [];
  readonly #remarks: ScanRemark[] = [];
  readonly #enteredByLink = new Set<string>();
  #folders = 0;

  constructor(filter: PathFilter, within: string | null, beginnings: Beginnings) {
    this.#filter = filter;
    this.#within = within;
    this.#beginnings = beginnings;
  }

  result(): ScanResult {
    this.#beginnings.keep(new Set(this.#files.map((file) => file.path)));
    this.#files.sort((a, b) => compareBytes(a.run, b.run) || compareBytes(a.name, b.name));
    return { files: this.#files, remarks: this.#remarks, folders: this.#folders };
  }

  /** Collects the event files of a folder and returns the folders to enter next, in order. */
  enter(folder: Folder): Folder[] {
    this.#folders++;
    const below: Folder[] = [];
    for (const entry of this.#list(folder.path)) {
      const isLink = entry.isSymbolicLink();
      const isFolder = entry.isDirectory();
      const isUploaded = entry.name.includes('tfevents') || isLogName(entry.name);
      const path = join(folder.path, entry.name);
      const others = isFolder ? otherToolsFolder(path, () => this.#names(path)) : otherToolsFile(entry.name);
      if (others !== null) {
        this.#leaveOut(path, 'other-tool', others);
        continue;
      }
      if (!isFolder && !isLink && !isUploaded) continue;
      const relative = folder.run === '.' ? entry.name : `${folder.run}/${entry.name}`;
      const next = { path, run: relative, parent: folder, linked: folder.linked || isLink, identity: null };
      if (isFolder && !folder.linked && !entry.name.includes(replacement)) {
        if (this.#filter.mayContain(relative)) below.push(next);
        continue;
      }
      const found = this.#stat(path, entry.name);
      if (!found) continue;
      if (found.isDirectory()) {
        if (this.#filter.mayContain(relative) && !(isLink && this.#leadsOut(path)) && this.#mayEnter(next, found)) below.push(next);
      } else if (found.isFile() && isUploaded && this.#filter.accepts(relative) && !(isLink && this.#leadsOut(path))) {
        if (!isLogName(entry.name) && !this.#isEventFile(path, found)) continue;
        const { size: bytes, mtimeMs } = found;
        this.#files.push({ path, run: folder.run, name: entry.name, bytes, mtimeMs, identity: fileIdentity(found) });
      }
    }
    return below;
  }

  /**
   * Whether a link leads outside the log directory and must not be followed. Reports such a link.
   */
  #leadsOut(path: string): boolean {
    if (this.#within === null) return false;
    let target: string;
    try {
      target = realpathSync(path);
    } catch {
      return true; // it has just vanished
    }
    if (target === this.#within || target.startsWith(this.#within.endsWith(sep) ? this.#within : this.#within + sep)) return false;
    this.#leaveOut(path, 'link-outside', `a link out of the log directory, to ${target}; not followed without --follow-links`);
    return true;
  }

  /** Whether a file is an event file. Reports a file that is not. */
  #isEventFile(path: string, found: Stats): boolean {
    const judged = this.#beginnings.judge(path, found);
    if (judged === null || judged.kind === 'event-file' || judged.kind === 'empty') return true;
    this.#leaveOut(path, judged.kind === 'not-yet' ? 'not-written-yet' : 'no-event-file', judged.detail);
    return false;
  }

  #names(path: string): string[] {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  }

  /**
   * Whether a folder may be entered. Called for folders that are link targets, and for folders
   * below them.
   */
  #mayEnter(folder: Folder, found: Stats): boolean {
    const identity = fileIdentity(found);
    folder.identity = identity;
    for (let above = folder.parent; above; above = above.parent) {
      above.identity ??= this.#identityOf(above.path);
      if (above.identity !== identity) continue;
      return this.#leaveOut(folder.path, 'link-loop', 'a link to one of its parent folders; not followed');
    }
    if (this.#enteredByLink.has(identity)) {
      return this.#leaveOut(folder.path, 'linked-twice', 'another link points to the same folder; followed only once');
    }
    this.#enteredByLink.add(identity);
    return true;
  }

  /** The identity of a folder; empty if the folder has just vanished. */
  #identityOf(path: string): string {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? fileIdentity(found) : '';
  }

  #list(path: string): Dirent[] {
    try {
      return readdirSync(path, { withFileTypes: true }).sort((a, b) => compareBytes(a.name, b.name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!vanished(code)) this.#leaveOut(path, 'unreadable', `cannot be read (${code})`);
      return [];
    }
  }

  #stat(path: string, name: string): Stats | null {
    try {
      return statSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // readdir decodes such names with replacement characters, and the result cannot be opened.
      if (vanished(code) && name.includes(replacement))
        this.#leaveOut(path, 'not-utf8', 'its name is not UTF-8; run and file names must be');
      else if (code === 'ELOOP') this.#leaveOut(path, 'link-loop', 'a cycle of links; not followed');
      else if (!vanished(code)) this.#leaveOut(path, 'unreadable', `cannot be read (${code})`);
      return null;
    }
  }

  #leaveOut(path: string, reason: ScanRemark['reason'], detail: string): false {
    this.#remarks.push({ path, reason, detail });
    return false;
  }
}

/** The character that replaces bytes that are not UTF-8 in a decoded name. */
const replacement = '\ufffd';

function vanished(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Plain order of the UTF-8 bytes (data rule 2), which is the order of code points. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // UTF-16 units are ordered differently only where surrogates meet other characters.
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const surrogate = /[\ud800-\udfff]/;
