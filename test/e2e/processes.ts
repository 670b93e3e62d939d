import { readFile } from 'node:fs/promises';

/** Memory of a process in MiB, as the kernel counts it. */
export interface Memory {
  readonly now: number;
  /** Since its start. */
  readonly peak: number;
  /** Threads of the process, including those of native libraries. */
  readonly threads: number;
}

/** Returns the memory of each process; null without /proc, or if one has exited. */
export async function memoryOf(pids: readonly number[]): Promise<Memory[] | null> {
  const found: Memory[] = [];
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
    if (status === null) return null;
    const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    found.push({ now: figure('VmRSS') / 1024, peak: figure('VmHWM') / 1024, threads: figure('Threads') });
  }
  return found;
}
