import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a process is started, and how to detect that it serves. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Called at each start; `start` counts from 0. */
  readonly env: (start: number) => NodeJS.ProcessEnv;
  /** Whether the process serves; polled after its start. */
  readonly isReady: () => Promise<boolean>;
  /** Called before each start. */
  readonly prepare?: () => Promise<void>;
}

/** An unexpected exit of a process. */
export interface Death {
  readonly at: number;
  /** Null if it exited with a code. */
  readonly signal: NodeJS.Signals | null;
  /** Time from the exit until the successor served; null if it does not serve yet. */
  recoveryMs: number | null;
}

const askEveryMs = 25;
const keptOutput = 4_000_000;

/**
 * A supervised process: if it exits, it is restarted immediately. Tests can kill and freeze it;
 * these methods resolve when the effect is observed.
 */
export class ManagedProcess {
  readonly spec: ProcessSpec;
  readonly deaths: Death[] = [];
  /** How often each failpoint triggered: `after-claim: kill` → count. */
  readonly strikes = new Map<string, number>();
  #child: ChildProcess | null = null;
  #starts = 0;
  #wanted = false;
  #paused: Promise<void> | null = null;
  #ready: Promise<void> = Promise.resolve();
  #output = '';

  constructor(spec: ProcessSpec) {
    this.spec = spec;
  }

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | null {
    return this.#child && isRunning(this.#child) ? this.#child.pid! : null;
  }

  /** The end of its output on both streams. */
  get output(): string {
    return this.#output;
  }

  /** Starts it; resolves when it serves. */
  async start(): Promise<void> {
    this.#wanted = true;
    await this.#launch(null);
  }

  /** Resolves when it serves (again). */
  async ready(): Promise<void> {
    for (let known: Promise<void> | null = null; known !== this.#ready;) await (known = this.#ready);
  }

  /**
   * Sends SIGKILL. Resolves when the process is gone; `meanwhile` runs before the restart. Returns
   * false if it was not running.
   */
  async kill(meanwhile?: () => Promise<void>): Promise<boolean> {
    const child = this.#child;
    if (!child || !isRunning(child)) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused = promise;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    try {
      await meanwhile?.();
    } finally {
      this.#paused = null;
      resolve();
    }
    return child.signalCode === 'SIGKILL';
  }

  /**
   * Freezes the process with SIGSTOP. Resolves when the kernel reports it as stopped. Returns false
   * if it was not running.
   */
  async freeze(): Promise<boolean> {
    return (await this.#signal('SIGSTOP')) && this.#reaches((state) => state === 'T');
  }

  /** Resumes a frozen process with SIGCONT. */
  async thaw(): Promise<boolean> {
    return (await this.#signal('SIGCONT')) && this.#reaches((state) => state !== 'T');
  }

  /**
   * Sends SIGTERM, without a restart. Resolves with the exit code, or null if it was killed after
   * `graceMs`.
   */
  async stop(graceMs = 20_000): Promise<number | null> {
    this.#wanted = false;
    const child = this.#child;
    if (!child || !isRunning(child)) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(killTimer);
    return child.exitCode;
  }

  async #signal(signal: NodeJS.Signals): Promise<boolean> {
    return this.#child !== null && isRunning(this.#child) && this.#child.kill(signal);
  }

  async #reaches(wanted: (state: string) => boolean): Promise<boolean> {
    for (let pid = this.pid; pid !== null; pid = this.pid) {
      const state = await stateOf(pid);
      if (state === null) return false;
      if (wanted(state)) return true;
      await sleep(2);
    }
    return false;
  }

  async #launch(after: Death | null): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Callers of `ready` see the rejection. Without callers, the rejection does not count as
    // unhandled.
    promise.catch(() => undefined);
    this.#ready = promise;
    try {
      await this.#paused;
      await this.spec.prepare?.();
      if (!this.#wanted) return resolve();
      const child = this.#spawn();
      while (!(await this.spec.isReady().catch(() => false))) {
        // The 'exit' listener starts its successor, whose readiness counts from now on.
        if (!isRunning(child)) {
          if (after === null && this.deaths.length <= 1 && child.signalCode !== 'SIGKILL')
            throw new Error(`${this.name} does not start:\n${this.#output}`);
          return resolve();
        }
        await sleep(askEveryMs);
      }
      for (const death of this.deaths) death.recoveryMs ??= performance.now() - death.at;
      resolve();
    } catch (error) {
      reject(error);
      if (after === null) throw error;
    }
  }

  #spawn(): ChildProcess {
    const { command, args, env } = this.spec;
    const child = spawn(command, args, { env: env(this.#starts++), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => this.#hear(piece));
    child.once('error', (error) => this.#hear(`${error.message}\n`));
    child.once('exit', (_, signal) => {
      if (!this.#wanted) return;
      const death = { at: performance.now(), signal, recoveryMs: null };
      this.deaths.push(death);
      void this.#restart(death);
    });
    return child;
  }

  /** If the process cannot start, retries after a pause, as a supervisor would. */
  async #restart(death: Death): Promise<void> {
    if (death.signal === null) await sleep(200);
    if (this.#wanted) await this.#launch(death);
  }

  #hear(piece: string): void {
    this.#output = (this.#output + piece).slice(-keptOutput);
    for (const [, strike] of piece.matchAll(/^failpoint (\S+: \S+)$/gm)) this.strikes.set(strike!, (this.strikes.get(strike!) ?? 0) + 1);
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/**
 * Returns the kernel's letter for the state of a process, e.g. `T` for stopped; null if it is gone.
 */
async function stateOf(pid: number): Promise<string | null> {
  const about = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return about === null ? null : about.slice(about.lastIndexOf(')') + 2)[0]!;
}
