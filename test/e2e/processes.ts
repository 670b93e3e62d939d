import { readFile } from 'node:fs/promises';

/** Memory of a process in MiB, as the kernel counts it; null where there is no /proc. `peak` since it began or `resetPeak` was called. */
export async function memoryOf(pid: number): Promise<{ readonly now: number; readonly peak: number } | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  if (status === null) return null;
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: kib('VmRSS') / 1024, peak: kib('VmHWM') / 1024 };
}
