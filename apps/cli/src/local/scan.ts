import type { Dirent, Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathFilter } from './path-filter.ts';

/** An event file as a scan found it. */
export interface FoundFile {
  /** Where it is opened. */
  readonly path: string;
  /** Folder below the log directory, always with `/`; `.` for the log directory itself. */
  readonly run: string;
  /** Base name. */
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** Device and inode: changes when the file is replaced by another. */
  readonly identity: string;
}

/** Something in the log directory that is not uploaded although somebody might expect it. */
export interface ScanRemark {
  readonly path: string;
  readonly reason: 'unreadable' | 'not-utf8' | 'link-loop' | 'linked-twice';
  readonly detail: string;
}

/** What one scan saw: files sorted by run and name in byte order, so the same folder always gives the same order. */
export interface ScanResult {
  readonly files: readonly FoundFile[];
  readonly remarks: readonly ScanRemark[];
  readonly folders: number;
}

interface Folder {
  readonly path: string;
  readonly run: string;
  /** Identities of the folders on the way down, this one included. */
  readonly ancestors: ReadonlySet<string>;
  /** Reached by way of a symbolic link. */
  readonly linked: boolean;
}

/**
 * Finds the event files below a log directory (data rule 10: regular files whose name contains `tfevents`; a folder with such a name is
 * a folder). Symbolic links are followed, so a link and its target are both runs; a folder is entered by way of links at most once, and
 * never from inside itself, which ends every loop. What vanishes during the scan is passed over: the next scan knows better.
 */
export async function scan(logdir: string, filter: PathFilter): Promise<ScanResult> {
  const files: FoundFile[] = [];
  const remarks: ScanRemark[] = [];
  const enteredByLink = new Set<string>();
  let folders = 0;
  const root = await stat(logdir);
  const stack: Folder[] = [{ path: logdir, run: '.', ancestors: new Set([fileIdentity(root)]), linked: false }];
  for (let folder = stack.pop(); folder; folder = stack.pop()) {
    folders++;
    const entries = await list(folder.path, remarks);
    const below: Folder[] = [];
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      const relative = folder.run === '.' ? entry.name : `${folder.run}/${entry.name}`;
      const maybeFile = entry.name.includes('tfevents') && !entry.isDirectory();
      const maybeFolder = entry.isDirectory() || entry.isSymbolicLink();
      if (!maybeFile && !maybeFolder) continue;
      // Readdir decodes with replacement characters, and such a name cannot be opened again.
      if (entry.name.includes('\ufffd') && (await statOrNull(path)) === null) {
        remarks.push({ path, reason: 'not-utf8', detail: 'its name is not UTF-8, which no run or file name can hold' });
        continue;
      }
      const linked = folder.linked || entry.isSymbolicLink();
      if (entry.isDirectory() && !folder.linked) {
        if (filter.mayContain(relative)) {
          const at = await statOrNull(path);
          if (at) below.push({ path, run: relative, ancestors: new Set([...folder.ancestors, fileIdentity(at)]), linked });
        }
        continue;
      }
      const found = await statOrNull(path, remarks);
      if (!found) continue;
      if (found.isFile() && maybeFile) {
        if (filter.accepts(relative))
          files.push({ path, run: folder.run, name: entry.name, bytes: found.size, mtimeMs: found.mtimeMs, identity: fileIdentity(found) });
      } else if (found.isDirectory() && filter.mayContain(relative)) {
        const id = fileIdentity(found);
        if (folder.ancestors.has(id)) {
          remarks.push({ path, reason: 'link-loop', detail: 'a link to a folder that holds it; not followed' });
        } else if (enteredByLink.has(id)) {
          remarks.push({
            path,
            reason: 'linked-twice',
            detail: `another link already leads to ${await realpath(path).catch(() => path)}; followed once`,
          });
        } else {
          enteredByLink.add(id);
          below.push({ path, run: relative, ancestors: new Set([...folder.ancestors, id]), linked });
        }
      }
    }
    stack.push(...below.reverse());
  }
  files.sort((a, b) => compareBytes(a.run, b.run) || compareBytes(a.name, b.name));
  return { files, remarks, folders };
}

/** Device and inode of a file. */
export function fileIdentity(at: Stats): string {
  return `${at.dev}:${at.ino}`;
}

async function list(path: string, remarks: ScanRemark[]): Promise<Dirent[]> {
  try {
    return (await readdir(path, { withFileTypes: true })).sort((a, b) => compareBytes(a.name, b.name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') remarks.push({ path, reason: 'unreadable', detail: `cannot be read (${code})` });
    return [];
  }
}

async function statOrNull(path: string, remarks?: ScanRemark[]): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ELOOP: links that lead to one another and to no file at all.
    if (code === 'ELOOP') remarks?.push({ path, reason: 'link-loop', detail: 'links that only lead to one another; not followed' });
    else if (code !== 'ENOENT' && code !== 'ENOTDIR') remarks?.push({ path, reason: 'unreadable', detail: `cannot be read (${code})` });
    return null;
  }
}

/** Plain order of the UTF-8 bytes (data rule 2), which for well-formed text is the order of code points. */
function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
