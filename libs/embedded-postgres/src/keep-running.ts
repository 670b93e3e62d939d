import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopPostmaster } from './orphan.ts';

/**
 * Starts a postmaster and resolves when it accepts connections; `onSpawn` is called with each
 * process before it accepts connections.
 */
export type Launch = (onSpawn: (child: ChildProcess) => void) => Promise<void>;

const firstPauseMs = 200;
const maxPauseMs = 10_000;
/** A postmaster that served for this long did not fail because of its start. */
const steadyMs = 60_000;

/**
 * Keeps a postmaster running as long as the service runs. A postmaster that exits unexpectedly (out
 * of memory, a full disk, killed by mistake) is restarted, with backoff if restarts fail. Postgres
 * recovers from its log, so nothing committed is lost.
 *
 * ```
 *  start ──▶ serving ──ends by itself──▶ starting again ──▶ serving
 *               │                          │      ▲  │
 *               └────────── stop ◀─────────┘      └──┘ fails: pause
 * ```
 */
export class KeptPostmaster {
  readonly #launch: Launch;
  readonly #log: (line: string) => void;
  readonly #stopping = new AbortController();
  #child: ChildProcess | null = null;
  #failures = 0;
  #restarting: Promise<void> = Promise.resolve();

  constructor(launch: Launch, log: (line: string) => void) {
    this.#launch = launch;
    this.#log = log;
  }

  /** Starts Postgres for the first time. An error is thrown to the caller. */
  async start(): Promise<void> {
    await this.#launch((child) => (this.#child = child));
    this.#guard();
  }

  /** Signals the running postmaster to stop, without waiting; used at process exit. */
  stopAtExit(): void {
    if (this.#child && isRunning(this.#child)) process.kill(this.#child.pid!, 'SIGINT');
  }

  /** Fast shutdown, even during a restart; resolves when no postmaster is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#stopChild();
    await this.#restarting;
    await this.#stopChild(); // a restart may just have succeeded
  }

  async #stopChild(): Promise<void> {
    const child = this.#child;
    if (!child || !isRunning(child)) return;
    child.ref();
    const ended = once(child, 'exit');
    await stopPostmaster(child.pid!);
    await ended;
  }

  #guard(): void {
    const child = this.#child!;
    const since = performance.now();
    const onExit = (): void => {
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > steadyMs) this.#failures = 0;
      this.#log(`Postgres exited (${child.signalCode ?? `exit code ${child.exitCode}`}): restarting it`);
      this.#restarting = this.#restart();
    };
    if (isRunning(child)) child.once('exit', onExit);
    else onExit();
  }

  async #restart(): Promise<void> {
    const { signal } = this.#stopping;
    for (; !signal.aborted; this.#failures++) {
      const pauseMs = this.#failures === 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (this.#failures - 1));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // stopped: the delay is over
      if (signal.aborted) return;
      try {
        await this.#launch((child) => (this.#child = child));
      } catch (error) {
        this.#log(`Postgres could not be restarted, retrying: ${error instanceof Error ? error.message : String(error)}`);
        continue;
      }
      this.#failures++; // until it proves steady
      this.#log('Postgres is available again');
      this.#guard();
      return;
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
