import { readFile } from 'node:fs/promises';

/** Memory of processes together in MiB, as the kernel counts it; null where there is no /proc. `peak`: the sum of the most that each had since it began. */
export async function memoryOf(pids: readonly number[]): Promise<{ readonly now: number; readonly peak: number } | null> {
  let now = 0;
  let peak = 0;
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
    if (status === null) return null;
    const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    now += kib('VmRSS') / 1024;
    peak += kib('VmHWM') / 1024;
  }
  return { now, peak };
}
