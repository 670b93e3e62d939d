import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, nodeArgumentsOf } from '#testing';

/** The programs that a service of separate processes is made of. */
export type ProgramKind = 'upload' | 'ingest' | 'read';

/** How it ended, with what it said. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** One process of the built service on a port of its own, another one in each of its lives: it can be started, signalled, and started again. */
export class Program {
  readonly kind: ProgramKind;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #output = '';
  #port = 0;

  /** `env`: the whole environment of the process; its port and format of logs are added. */
  constructor(kind: ProgramKind, env: NodeJS.ProcessEnv) {
    this.kind = kind;
    this.#env = { ...env, PLOTLINE_LOG_FORMAT: 'text' };
  }

  /** Where it listens, or did last; 0 while it starts. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Null while there is no process. */
  get pid(): number | null {
    return this.#child && isRunning(this.#child) ? this.#child.pid! : null;
  }

  /** What it has said so far in all its lives, on both streams. */
  get output(): string {
    return this.#output;
  }

  /** Starts the process (again) and resolves when it serves. Rejects with what it said when it ends before. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, nodeArgumentsOf(`start:${this.kind}`), {
      cwd: '/',
      // Not 0: between its choice and its use, outgoing connections may get it
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

  /** Sends a signal; whether there was a process to send it to. */
  send(signal: NodeJS.Signals): boolean {
    return this.pid !== null && this.#child!.kill(signal);
  }

  /** Sends a signal that ends it, and resolves with how it did. */
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
