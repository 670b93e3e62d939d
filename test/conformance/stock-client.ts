import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type CliResult, outputOf } from '../e2e/service.ts';

/**
 * Returns a program of stock TensorBoard, unmodified: `uploader` is 2.15.0, the last release that
 * uploads; `viewer` is the current release.
 */
export function stockProgram(environment: 'uploader' | 'viewer', program: 'tensorboard' | 'python'): string {
  const part = inject('parts').tensorboard;
  if ('missing' in part) throw new Error(part.missing);
  return join(part.found, environment, 'bin', program);
}

/**
 * Returns an environment in which no request can leave the machine: except for loopback, the
 * configured proxies do not exist.
 */
export function walledIn(home: string): NodeJS.ProcessEnv {
  const nowhere = 'http://127.0.0.1:9';
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    TMPDIR: home,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    ALL_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    grpc_proxy: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    LC_ALL: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
  };
}

/**
 * A member with the unmodified uploader and a Plotline token in its credentials file (protocol
 * reference F.2).
 */
export class StockClient {
  readonly home: string;
  readonly #origin: string;

  private constructor(home: string, origin: string) {
    this.home = home;
    this.#origin = origin;
  }

  /** `origin`: the server of the handshake. */
  static async make(origin: string, token: string): Promise<StockClient> {
    const home = await mkdtemp(join(tmpdir(), 'plotline-stock-'));
    const folder = join(home, 'config', 'tensorboard', 'credentials');
    await mkdir(folder, { recursive: true });
    const unused = { refresh_token: 'unused', client_id: 'unused', client_secret: 'unused' };
    const credentials = { type: 'authorized_user', ...unused, token, expiry: '2099-01-01T00:00:00Z' };
    await writeFile(join(folder, 'uploader-creds.json'), JSON.stringify(credentials), { mode: 0o600 });
    return new StockClient(home, origin);
  }

  /** Starts `tensorboard dev ARGS`, without interactive questions. */
  spawn(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
    return this.spawnWith({}, ...args);
  }

  /** Like {@link spawn}, with other global flags or settings. */
  spawnWith(
    { credentials = 'local', env = {} }: { readonly credentials?: 'local' | 'ssl' | 'ssl_dev'; readonly env?: NodeJS.ProcessEnv },
    ...args: string[]
  ): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
    return this.#start(stockProgram('uploader', 'tensorboard'), [...this.#global(credentials), ...args], env);
  }

  /** Runs `tensorboard dev ARGS` until it exits, as a release with another version number. */
  runAs(version: string, ...args: string[]): Promise<CliResult> {
    const script = `import sys
from tensorboard import main, version
version.VERSION = sys.argv.pop(1)
main.run_main()`;
    return this.#start(stockProgram('uploader', 'python'), ['-c', script, version, ...this.#global('local'), ...args], {}).ended;
  }

  #global(credentials: string): string[] {
    return ['dev', '--origin', this.#origin, '--grpc_creds_type', credentials];
  }

  #start(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
  ): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
    const child = spawn(program, args, { env: { ...walledIn(this.home), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    return { child, ended: outputOf(child) };
  }

  /** Runs `tensorboard dev ARGS` until it exits. */
  run(...args: string[]): Promise<CliResult> {
    return this.spawn(...args).ended;
  }

  /** Uploads a directory once; the upload must succeed. */
  async upload(logdir: string, ...args: string[]): Promise<StockUpload> {
    const result = await this.run('upload', '--logdir', logdir, '--one_shot', ...args);
    if (result.code !== 0) throw new Error(`the stock uploader exited with ${result.code}\n${textOf(result)}`);
    return { experimentId: experimentIn(result.stdout), result };
  }

  dispose(): Promise<void> {
    return rm(this.home, { recursive: true, force: true });
  }
}

/** A finished upload by the stock client. */
export interface StockUpload {
  readonly experimentId: string;
  readonly result: CliResult;
}

/** Returns the experiment in the URL that the client printed. */
export function experimentIn(stdout: string): string {
  const found = /https?:\/\/\S+\/e\/([A-Za-z0-9]{22})/.exec(stdout);
  if (!found) throw new Error(`the stock client printed no URL of an experiment:\n${stdout}`);
  return found[1]!;
}

/**
 * Returns both streams, without the messages about the missing Google identity in each call
 * (protocol reference B.2).
 */
export function textOf({ stdout, stderr }: CliResult): string {
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => !/Failed to find ID token|TensorFlow installation not found/.test(line))
    .join('\n');
}
