import { readFile, readlink, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, processIdentity, ps } from './process-identity.ts';
import { until } from './until.ts';

/**
 * The content of Postgres' postmaster.pid (miscadmin.h, LOCK_FILE_LINE_*): lines 1 pid, 4 port, 8
 * status.
 */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  try {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    const pid = Math.abs(Number(lines[0])); // a negative number is a single-user backend
    return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Cleans up after a killed service. The caller holds the folder's lock, so no live service owns the
 * cluster. A live Postgres on this cluster is stopped (and then restarted with this service's
 * settings: stopping writes a checkpoint, so that costs less than a second). A pid file whose
 * number now belongs to another program is removed, because Postgres would mistake that program for
 * itself. Postgres handles the pid file of a dead process itself. Postgres finds surviving backends
 * of a killed postmaster through shared memory.
 */
export async function clearOrphan(cluster: string, log: (line: string) => void): Promise<'none' | 'stopped' | 'stale-file'> {
  const file = await readPostmasterFile(cluster);
  if (file === null || !isAlive(file.pid)) return 'none';
  // A zombie process (in a container without init) also looks alive to Postgres.
  const dead = (await processIdentity(file.pid)) === null;
  if (dead || !(await isPostgresOf(file.pid, cluster))) {
    log(
      `postmaster.pid names process ${file.pid}, which is not a running Postgres of this data folder: removing the file, which a crash left behind`,
    );
    await unlink(join(cluster, 'postmaster.pid'));
    return 'stale-file';
  }
  log(`an earlier Plotline left its Postgres running (process ${file.pid}): stopping it`);
  await stopPostmaster(file.pid);
  return 'stopped';
}

/**
 * Fast shutdown (SIGINT: connections are cut, a checkpoint is written). If that takes longer than
 * `fastForMs`, an immediate shutdown follows (SIGQUIT: as after a crash, nothing committed is
 * lost).
 */
export async function stopPostmaster(pid: number, fastForMs = 60_000): Promise<void> {
  const identity = await processIdentity(pid);
  if (identity === null) return;
  const gone = async () => (await processIdentity(pid)) !== identity;
  process.kill(pid, 'SIGINT');
  if (await until(gone, fastForMs)) return;
  process.kill(pid, 'SIGQUIT');
  if (await until(gone, 10_000)) return;
  throw new Error(`Postgres (process ${pid}) does not stop.`);
}

async function isPostgresOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const command = process.platform === 'linux' ? await linuxCommand(pid) : await ps(pid, 'command=');
  if (!command.includes('postgres')) return false;
  try {
    // A postmaster's working directory is its cluster, even if it was started with another path to
    // it.
    const [there, here] = [await stat(await readlink(`/proc/${pid}/cwd`)), await stat(cluster)];
    return there.dev === here.dev && there.ino === here.ino;
  } catch {
    return command.includes(cluster); // no /proc, or no permission
  }
}

async function linuxCommand(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    return ''; // ended meanwhile
  }
}
