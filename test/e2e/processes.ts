import { readFile } from 'node:fs/promises';

/** Memory of a process in MiB, as the kernel counts it. */
export interface Memory {
  readonly now: number;
  /** Since it began. */
  readonly peak: number;
}

/** Memory of each of the processes; null where there is no /proc, or one has ended. */
export async function memoryOf(pids: readonly number[]): Promise<Memory[] | null> {
  const found: Memory[] = [];
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
    if (status === null) return null;
    const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    found.push({ now: kib('VmRSS') / 1024, peak: kib('VmHWM') / 1024 });
  }
  return found;
}
