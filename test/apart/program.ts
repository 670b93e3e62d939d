import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, nodeArgumentsOf } from '#testing';

/** The programs of a service with separate processes. */
export type ProgramKind = 'upload' | 'ingest' | 'read';

/** How a process exited, and its output. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/**
 * A process of the built service. It can be started, signaled and restarted; each start uses a new
 * port.
 */
export class Program {
  readonly kind: ProgramKind;
  readonly #env: NodeJS.ProcessEnv;
  readonly #build: string | undefined;
  #retired = false;
  #child: ChildProcess | null = null;
  #output = '';
  #port = 0;

  /**
   * `env`: the complete environment of the process; the port and the log format are added. `build`:
   * the folder of another version.
   */
  constructor(kind: ProgramKind, env: NodeJS.ProcessEnv, build?: string) {
    this.kind = kind;
    this.#build = build;
    this.#env = { ...env, PLOTLINE_LOG_FORMAT: 'text' };
  }

  /** The current or last port; 0 while it starts. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Whether requests can be sent to the process. */
  get serves(): boolean {
    return !this.#retired && this.pid !== null && this.#port !== 0;
  }

  /** From now on, it gets no requests and is not restarted, because it is about to be replaced. */
  retire(): void {
    this.#retired = true;
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /** Null while it is not running. */
  get pid(): number | null {
    return this.#child && isRunning(this.#child) ? this.#child.pid! : null;
  }

  /** Its output on both streams, over all starts. */
  get output(): string {
    return this.#output;
  }

  /**
   * Starts or restarts the process; resolves when it serves. Rejects with its output if it exits
   * first.
   */
  async start(): Promise<void> {
    const child = spawn(process.execPath, nodeArgumentsOf(`start:${this.kind}`, this.#build), {
      cwd: '/',
      // Not port 0: an outgoing connection could use the port first.
      env: { ...this.#env, PLOTLINE_PORT: String(await freePort()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#port = 0;
    const from = this.#output.length;
    await new Promise<void>((resolve, reject) => {
      const hear = (piece: string): void => {
        this.#output += piece;
        const port = /^Plotline \w+ is at http:\/\/127\.0\.0\.1:(\d+)$/m.exec(this.#output.slice(from))?.[1];
        if (port === undefined) return;
        this.#port = Number(port);
        resolve();
      };
      child.stdout.setEncoding('utf8').on('data', hear);
      child.stderr.setEncoding('utf8').on('data', hear);
      child.once('error', reject);
      child.once('close', (code, signal) => reject(new Error(`${this.kind} ended (${signal ?? code}):\n${this.#output.slice(from)}`)));
    });
  }

  /** Sends a signal; returns whether there was a process. */
  send(signal: NodeJS.Signals): boolean {
    return this.pid !== null && this.#child!.kill(signal);
  }

  /** Sends a signal that terminates the process; resolves with its exit code or signal. */
  async end(signal: NodeJS.Signals): Promise<ProgramEnd> {
    const child = this.#child;
    if (child && isRunning(child)) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
    return { code: child?.exitCode ?? null, signal: child?.signalCode ?? null, output: this.#output };
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
