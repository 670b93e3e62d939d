import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from './process-identity.ts';

/** A folder that only this process may use, until `release`. */
export interface FolderLock {
  release(): Promise<void>;
}

/** Another live process holds the folder. */
export class FolderInUse extends Error {
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}. Stop that process first, or choose another folder with PLOTLINE_DATA_DIR.`,
    );
    this.name = 'FolderInUse';
    this.pid = pid;
  }
}

/**
 * Locks the folder for this process, or throws {@link FolderInUse}. A lock ends with its process:
 * its file contains pid and start time, so neither a killed process nor another one with the same
 * pid holds it.
 *
 * Locks are files `lock/<n>`; the holder is the process in the file with the highest number, as
 * long as it is alive. To take over from a dead holder, a process creates the next number by
 * `link`, which succeeds for only one process. The file of the highest number is never removed (a
 * released one is only emptied), so a number is never assigned twice. With a single lock file that
 * is deleted and recreated, two processes that both saw the dead holder could each delete the
 * other's.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const locks = join(folder, 'lock');
  await mkdir(locks, { recursive: true, mode: 0o700 });
  const me = `${process.pid} ${await processIdentity(process.pid)}\n`;
  const draft = join(locks, `draft-${process.pid}-${randomBytes(6).toString('hex')}`);
  await writeFile(draft, me, { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      const highest = await highestNumber(locks);
      const holder = highest === 0 ? null : await livingHolder(join(locks, String(highest)));
      if (holder !== null) throw new FolderInUse(folder, holder);
      const mine = highest + 1;
      if (!(await linkIfAbsent(draft, join(locks, String(mine))))) continue;
      // A slow process may have created a number that was already superseded and removed. In that
      // case, a higher number exists.
      if ((await highestNumber(locks)) > mine) {
        await unlink(join(locks, String(mine)));
        continue;
      }
      await removeBelow(locks, mine);
      return { release: () => release(join(locks, String(mine))) };
    }
  } finally {
    await unlink(draft);
  }
}

async function release(path: string): Promise<void> {
  const empty = `${path}.released`;
  await writeFile(empty, '', { mode: 0o600 });
  await rename(empty, path);
}

/** The pid in the lock file if that process is still alive, otherwise null. */
async function livingHolder(path: string): Promise<number | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null; // superseded by a higher number meanwhile
    throw error;
  }
  const [pid, identity] = text.trim().split(' ');
  if (!pid || !identity) return null;
  return (await processIdentity(Number(pid))) === identity ? Number(pid) : null;
}

async function lockNumbers(locks: string): Promise<number[]> {
  return (await readdir(locks)).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function highestNumber(locks: string): Promise<number> {
  return Math.max(0, ...(await lockNumbers(locks)));
}

async function removeBelow(locks: string, number: number): Promise<void> {
  for (const old of await lockNumbers(locks)) {
    if (old < number) await unlink(join(locks, String(old))).catch(ignoreMissing);
  }
}

async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
