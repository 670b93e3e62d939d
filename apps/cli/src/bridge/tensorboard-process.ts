import { type ChildProcess, spawn } from 'node:child_process';
import type { Host, TextSink } from '../host.ts';

/** How long TensorBoard may take to end before it is killed. */
const stopMs = 3_000;

/** A TensorBoard that reads through a bridge. */
export class TensorBoardProcess {
  readonly #child: ChildProcess;
  /** Its exit code; null: a signal ended it. Rejects where it cannot be started: with `ENOENT` where there is none. */
  readonly ended: Promise<number | null>;

  /** What it says goes to `sink`: stdout is for the answer of our own command. */
  constructor(args: readonly string[], host: Host, sink: TextSink) {
    this.#child = spawn('tensorboard', [...args], { cwd: host.cwd, env: environment(host), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => sink.write(text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code) => resolve(code));
    });
  }

  /** Ends it. A terminal has sent it Ctrl-C already; then this changes nothing. */
  async stop(): Promise<void> {
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    this.#child.kill('SIGTERM');
    await this.ended.catch(() => undefined); // it never started
    clearTimeout(kill);
  }
}

/** It needs none of our secrets, and its gRPC would send even what goes to this machine through a proxy. */
function environment({ env }: Host): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('PLOTLINE_'));
  return { ...Object.fromEntries(kept), no_grpc_proxy: '127.0.0.1', PYTHONUNBUFFERED: '1' };
}
