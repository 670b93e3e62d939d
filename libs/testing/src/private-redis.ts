import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort, removeLeftBehind } from './left-behind.ts';

/**
 * A Redis server for one test. The test can kill, freeze and wipe it. Its address does not change.
 */
export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  /** Current PID. Null while the server is down. */
  readonly pid: number | null;
  /** Sends SIGKILL. Stored data remains in its folder. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Like {@link kill}, but also removes the stored data. */
  wipe(): Promise<void>;
  /** Restarts the server after {@link kill} or {@link wipe}. Resolves when it responds. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

const folderPrefix = 'plotline-test-redis-';
const run = promisify(execFile);

/**
 * Starts a `redis-server` on a free port on 127.0.0.1, with `settings` (as in redis.conf). Every
 * write is logged, so a kill alone loses nothing.
 */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<PrivateRedis> {
  await findServer();
  await removeLeftBehind(folderPrefix, 'redis-server');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-${port}-`));
  const redis = new LocalRedis(port, folder, { save: '', appendonly: 'yes', 'maxmemory-policy': 'noeviction', ...settings });
  await redis.start();
  return redis;
}

class LocalRedis implements PrivateRedis {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | null = null;

  constructor(port: number, folder: string, settings: Readonly<Record<string, string>>) {
    this.port = port;
    this.#folder = folder;
    this.#settings = settings;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  async start(): Promise<void> {
    const settings = {
      bind: '127.0.0.1',
      port: String(this.port),
      dir: this.#folder,
      pidfile: join(this.#folder, 'pid'),
      ...this.#settings,
    };
    const child = spawn(
      'redis-server',
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#process = child;
    const output: string[] = [];
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        output.push(line);
        if (line.includes('Ready to accept connections')) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`redis-server exited with ${code}: ${output.slice(-3).join(' / ')}`)));
    });
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async wipe(): Promise<void> {
    await this.kill();
    for (const name of await readdir(this.#folder)) await rm(join(this.#folder, name), { recursive: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Throws if there is no `redis-server` and it cannot be installed. */
async function findServer(): Promise<void> {
  try {
    await run('redis-server', ['--version']);
  } catch {
    await install();
  }
}

async function install(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('there is no redis-server on the PATH, and only root can install it');
  // These options prevent the installed service from starting.
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }, timeout: 120_000 };
  const installServer = () => run('apt-get', ['install', '--yes', '--no-install-recommends', 'redis-server'], options);
  try {
    // A new image does not have package lists yet.
    await installServer().catch(() => run('apt-get', ['update'], options).then(installServer));
  } catch (error) {
    throw new Error(`there is no redis-server on the PATH, and apt-get could not install it: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
