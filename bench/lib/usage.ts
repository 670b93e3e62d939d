import { readdirSync, readFileSync } from 'node:fs';

/**
 * Memory, CPU time and disk traffic as counted by the operating system in /proc. The result is null
 * for a process that has exited, because any process may exit between listing and reading.
 */

/** Returns the peak resident bytes of a process since it started (VmHWM). */
export function peakResidentBytes(pid: number): number | null {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`));
  return match ? Number(match[1]) * 1024 : null;
}

/**
 * Returns the proportional set size of a process now, in bytes: a page shared by n processes counts
 * 1/n for each (Pss of smaps_rollup).
 */
export function proportionalBytes(pid: number): number | null {
  const match = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`));
  return match ? Number(match[1]) * 1024 : null;
}

/**
 * Counts the bytes of file pages that a process dirtied, minus those truncated before writeback. An
 * upper bound, because whole folios count.
 */
export function writtenBytes(pid: number): number | null {
  const text = read(`/proc/${pid}/io`);
  const written = /^write_bytes: (\d+)/m.exec(text);
  const cancelled = /^cancelled_write_bytes: (\d+)/m.exec(text);
  return written ? Number(written[1]) - Number(cancelled?.[1] ?? 0) : null;
}

/** Returns the CPU time of all of a process's threads so far, in seconds. */
export function processorSeconds(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  // proc(5): utime and stime are fields 14 and 15, counted from the command's closing parenthesis
  // (field 2); Linux reports 100 ticks per second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.length > 13 ? (Number(fields[11]) + Number(fields[12])) / 100 : null;
}

/** Returns a process's short name, e.g. `postgres`. */
function processName(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** Returns `root` and all of its current descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // "pid (name) state ppid …"; a name may contain spaces and parentheses, so fields are counted
    // from the last parenthesis.
    const stat = read(`/proc/${entry}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const tree: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    tree.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return tree;
}

/** Results of a {@link Watch}: bytes, and seconds since the process started. */
export interface Usage {
  /** VmHWM of the watched process itself. */
  readonly peakResident: number;
  /** Highest sum of PSS over its Postgres processes at one moment; 0 if there are none. */
  readonly postgresPeakProportional: number;
  /** CPU time of the process and its Postgres. */
  readonly processorSeconds: number;
}

/** Samples a process and the Postgres processes below it until stopped. */
export class Watch {
  readonly #pid: number;
  readonly #postgres: boolean;
  readonly #timer: NodeJS.Timeout;
  readonly #processor = new Tally(processorSeconds);
  #peakResident = 0;
  #postgresPeak = 0;

  /**
   * Reading PSS walks page tables, so a service is sampled less often than a program without
   * Postgres.
   */
  constructor(pid: number, everyMs: number, options: { readonly postgres: boolean } = { postgres: true }) {
    this.#pid = pid;
    this.#postgres = options.postgres;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  /** Takes a last sample and returns the usage so far. */
  usage(): Usage {
    this.#look();
    return { peakResident: this.#peakResident, postgresPeakProportional: this.#postgresPeak, processorSeconds: this.#processor.total() };
  }

  stop(): Usage {
    clearInterval(this.#timer);
    return this.usage();
  }

  #look(): void {
    this.#peakResident = Math.max(this.#peakResident, peakResidentBytes(this.#pid) ?? 0);
    const postgres = this.#postgres ? postgresBelow(this.#pid) : [];
    this.#processor.look([this.#pid, ...postgres]);
    const sum = postgres.reduce((total, pid) => total + (proportionalBytes(pid) ?? 0), 0);
    this.#postgresPeak = Math.max(this.#postgresPeak, sum);
  }
}

/**
 * Sums a rising counter over processes that start and exit: the last value of each process counts.
 */
class Tally {
  readonly #counter: (pid: number) => number | null;
  readonly #seen = new Map<number, number>();

  constructor(counter: (pid: number) => number | null) {
    this.#counter = counter;
  }

  look(pids: readonly number[]): void {
    for (const pid of pids) this.#seen.set(pid, Math.max(this.#counter(pid) ?? 0, this.#seen.get(pid) ?? 0));
  }

  total(): number {
    return [...this.#seen.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** Returns the Postgres processes among a process's descendants. */
export function postgresBelow(pid: number): number[] {
  return processTree(pid).filter((below) => processName(below) === 'postgres');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // The process has exited, or is exiting and no longer has an address space.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}
