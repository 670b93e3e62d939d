import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stockProgram, walledIn } from './stock-client.ts';

/** Stock TensorBoard as a viewer. */
export class StockViewer {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #home: string;
  #output: string;

  private constructor(origin: string, child: ChildProcess, home: string, output: string) {
    this.origin = origin;
    this.#child = child;
    this.#home = home;
    this.#output = output;
    const hear = (piece: Buffer | string): void => {
      this.#output += String(piece);
    };
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
  }

  /**
   * Starts `tensorboard ARGS` on a new port; resolves when it prints its URL. `uploader` selects
   * the old release.
   */
  static async start(args: readonly string[], release: 'viewer' | 'uploader' = 'viewer'): Promise<StockViewer> {
    const home = await mkdtemp(join(tmpdir(), 'plotline-viewer-'));
    const child = spawn(stockProgram(release, 'tensorboard'), [...args, '--host', '127.0.0.1', '--port', '0'], {
      env: walledIn(home),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    return new Promise((resolve, reject) => {
      const hear = (piece: Buffer | string): void => {
        output += String(piece);
        const found = /TensorBoard \S+ at (http:\/\/127\.0\.0\.1:\d+)/.exec(output);
        if (!found) return;
        child.stdout.off('data', hear);
        child.stderr.off('data', hear);
        child.off('close', fail);
        resolve(new StockViewer(found[1]!, child, home, output));
      };
      const fail = (code: number | null): void => reject(new Error(`stock TensorBoard exited with ${code}\n${output}`));
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('close', fail);
      child.once('error', reject);
    });
  }

  /** Its output so far. */
  get output(): string {
    return this.#output;
  }

  /**
   * Returns a response from the API of TensorBoard's pages, below `/data/`. Returns null for 404.
   */
  async json<T>(path: string): Promise<T | null> {
    const bytes = await this.bytes(path);
    return bytes && (JSON.parse(bytes.toString('utf8')) as T);
  }

  /** Returns the response to a JSON request. */
  async post<T>(path: string, body: unknown): Promise<T> {
    const { status, bytes } = await this.#ask(path, JSON.stringify(body));
    if (status !== 200) throw this.#failed(path, status, bytes);
    return JSON.parse(bytes.toString('utf8')) as T;
  }

  /** Like {@link json}, for other content. */
  async bytes(path: string): Promise<Buffer | null> {
    const { status, bytes } = await this.#ask(path);
    if (status === 404) return null;
    if (status !== 200) throw this.#failed(path, status, bytes);
    return bytes;
  }

  /** Returns the status of a response, for requests on which TensorBoard itself may fail. */
  async status(path: string): Promise<number> {
    return (await this.#ask(path)).status;
  }

  /** Uses a new connection: TensorBoard's server uses HTTP/1.0. */
  #ask(path: string, body?: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    return new Promise((resolve, reject) => {
      const asked = request(`${this.origin}/data/${path}`, { method: body === undefined ? 'GET' : 'POST', agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode!, bytes: Buffer.concat(parts) }));
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  #failed(path: string, status: number, bytes: Buffer): Error {
    return new Error(`${path}: ${status} ${bytes.toString('utf8', 0, 500)}\n${this.#output.slice(-2_000)}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('close', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
    await rm(this.#home, { recursive: true, force: true });
  }
}
