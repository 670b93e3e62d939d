import { type ChildProcess, spawn } from 'node:child_process';
import type { Host, TextSink } from '../host.ts';

/** How long TensorBoard has to stop before it is killed. */
const stopMs = 3_000;

/** A TensorBoard process that reads through a bridge. */
export class TensorBoardProcess {
  readonly #child: ChildProcess;
  /**
   * The exit code; null if a signal ended the process. Rejects if it cannot be started, with
   * `ENOENT` if TensorBoard is not installed.
   */
  readonly ended: Promise<number | null>;

  /** TensorBoard's output goes to `sink`: stdout is reserved for our command's result. */
  constructor(args: readonly string[], host: Host, sink: TextSink) {
    this.#child = spawn('tensorboard', [...args], { cwd: host.cwd, env: environment(host), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => sink.write(text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code) => resolve(code));
    });
  }

  /** Stops the process; has no effect if the terminal has already sent it Ctrl-C. */
  async stop(): Promise<void> {
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    this.#child.kill('SIGTERM');
    await this.ended.catch(() => undefined); // it never started
    clearTimeout(kill);
  }
}

/**
 * The environment for TensorBoard, without our secrets, which TensorBoard does not need. Loopback
 * traffic is excluded from proxies, which its gRPC client would otherwise use.
 */
function environment({ env }: Host): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('PLOTLINE_'));
  return { ...Object.fromEntries(kept), no_grpc_proxy: '127.0.0.1', PYTHONUNBUFFERED: '1' };
}
