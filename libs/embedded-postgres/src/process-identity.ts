import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Distinguishes a process from a later one with the same pid: boot and start time. Null if no such
 * process is alive (a zombie counts as dead, because it no longer holds anything). If neither /proc
 * nor `ps` exists (Windows), only the pid counts.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  if (!isAlive(pid)) return null;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return 'alive';
  return (await ps(pid, 'lstart=')) || null;
}

/** Whether a process with this pid exists, even if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The output of `ps -o <column> -p <pid>`, or an empty string if there is no such process. */
export async function ps(pid: number, column: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', column, '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } });
    return stdout.trim();
  } catch {
    return ''; // ps exits 1 for an unknown pid
  }
}

async function linuxIdentity(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the command, field 2, can contain spaces and parentheses; fields are counted from
    // after its last ')'
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return null;
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return `${boot}:${startTime}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}
