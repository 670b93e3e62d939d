import { type ChildProcess, spawn } from 'node:child_process';
import type { Host, TextSink } from '../host.ts';

/** How long TensorBoard may take to stop before it is killed. */
const stopMs = 3_000;

/** A TensorBoard process that reads through a bridge. */
export class TensorBoardProcess {
  readonly #child: ChildProcess;
  /**
   * Its exit code; null: ended by a signal. Rejects if it cannot be started: with `ENOENT` if it is
   * not installed.
   */
  readonly ended: Promise<number | null>;

  /** Its output goes to `sink`: stdout is reserved for the result of our command. */
  constructor(args: readonly string[], host: Host, sink: TextSink) {
    this.#child = spawn('tensorboard', [...args], { cwd: host.cwd, env: environment(host), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => sink.write(text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code) => resolve(code));
    });
  }

  /** Stops it. No effect if the terminal has already sent it Ctrl-C. */
  async stop(): Promise<void> {
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    this.#child.kill('SIGTERM');
    await this.ended.catch(() => undefined); // it never started
    clearTimeout(kill);
  }
}

/** It does not need our secrets, and its gRPC would send even loopback traffic through a proxy. */
function environment({ env }: Host): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('PLOTLINE_'));
  return { ...Object.fromEntries(kept), no_grpc_proxy: '127.0.0.1', PYTHONUNBUFFERED: '1' };
}
