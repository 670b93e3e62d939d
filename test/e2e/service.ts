import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, nodeArgumentsOf } from '#testing';
import { ApartService } from '../apart/index.ts';

/**
 * `apart`: several upload, ingest and read processes, with Redis and S3. `embedded`: everything in
 * one process.
 */
export type Processes = 'apart' | 'embedded';

/** The default for test services: `TEST_PROCESSES`. */
export const processes: Processes = process.env.TEST_PROCESSES === 'apart' ? 'apart' : 'embedded';

/** Start options that differ from the defaults. */
export interface ServiceOptions {
  /** Default: a new one. */
  readonly dataDir?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** For tests of a specific kind of service; default: {@link processes}. */
  readonly processes?: Processes;
  /** The user that runs the process; only root can choose it. Only for embedded services. */
  readonly as?: { readonly uid: number; readonly gid: number };
  /**
   * Starts the service in its own process group, as a shell does: a signal to the group reaches it
   * like Ctrl-C. Only for embedded services.
   */
  readonly ownGroup?: boolean;
  /** The Postgres administrator is not a superuser. Only for separate processes. */
  readonly managedPostgres?: boolean;
  /** The folder of another built version to start instead. Only for separate processes. */
  readonly build?: string;
  /** Secrets are in files. Only for separate processes. */
  readonly secretFiles?: boolean;
  /** Called when the backends are running, before `migrate`. Only for separate processes. */
  readonly onBackends?: (service: ApartService) => Promise<void>;
}

/** The built service as child processes, with its own data folder. */
export class Service {
  readonly dataDir: string;
  readonly port: number;
  readonly #options: ServiceOptions;
  readonly #apart: ApartService | null;
  #child: ChildProcess | null = null;
  #output = '';

  private constructor(dataDir: string, port: number, options: ServiceOptions) {
    this.dataDir = dataDir;
    this.port = port;
    this.#options = options;
    this.#apart =
      (options.processes ?? processes) === 'apart'
        ? new ApartService({
            dataDir,
            port,
            env: { ...plainEnvironment(), ...options.env },
            managedPostgres: options.managedPostgres ?? false,
            build: options.build,
            onBackends: options.onBackends,
            secretFiles: options.secretFiles,
          })
        : null;
  }

  /** Creates a service without starting it. */
  static async prepare(options: ServiceOptions = {}): Promise<Service> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'plotline-e2e-')));
    return new Service(dataDir, options.port ?? (await freePort()), options);
  }

  /** Creates a data folder and starts a service on it. */
  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = await Service.prepare(options);
    await service.start();
    return service;
  }

  /** Starts an embedded service that must fail; returns its exit. */
  static async refused(options: ServiceOptions): Promise<CliResult> {
    const service = await Service.prepare({ ...options, processes: 'embedded' });
    const { child, ended } = service.spawn();
    service.#child = child;
    return ended;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The processes of a separate-process service. */
  get apart(): ApartService {
    if (!this.#apart) throw new Error('this service is embedded');
    return this.#apart;
  }

  /** The process of the embedded service. */
  get pid(): number {
    return this.#child!.pid!;
  }

  /** All running processes of the service. */
  get pids(): readonly number[] {
    return this.#apart ? this.#apart.pids : [this.pid];
  }

  /** The postmaster named in the data folder; it may have exited. */
  /** Waits until there is a PID: Postgres creates the file, and writes to it a moment later. */
  async postgresPid(): Promise<number> {
    for (const end = Date.now() + 60_000; ;) {
      const text = await readFile(join(this.dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
      const pid = Number(text.split('\n')[0]);
      if (pid > 0) return pid;
      if (Date.now() > end) throw new Error('Postgres has not started within a minute');
      await sleep(20);
    }
  }

  /** The output of the service on both streams. */
  get output(): string {
    return this.#apart?.output ?? this.#output;
  }

  async token(): Promise<string> {
    return (JSON.parse(await readFile(join(this.dataDir, 'credentials.json'), 'utf8')) as { token: string }).token;
  }

  /** The settings of the service, for other programs that use its data folder and port. */
  get environment(): NodeJS.ProcessEnv {
    const own = {
      PLOTLINE_DATA_DIR: this.dataDir,
      PLOTLINE_PORT: String(this.port),
      PLOTLINE_LOG_FORMAT: 'text',
      // A home folder other than that of the user running the tests.
      XDG_STATE_HOME: join(this.dataDir, 'state'),
    };
    return { ...plainEnvironment(), ...own, ...this.#options.env };
  }

  /** Starts (or restarts) the embedded service, without waiting until it serves. */
  spawn(): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
    const { as, ownGroup } = this.#options;
    const child = spawn(process.execPath, nodeArgumentsOf('start'), {
      ...as,
      cwd: '/',
      detached: ownGroup ?? false,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    return { child, ended: outputOf(child) };
  }

  /** Starts every process that is not running; resolves when everything serves. */
  async start(): Promise<void> {
    if (this.#apart) return this.#apart.start();
    const { child } = this.spawn();
    const from = this.#output.length;
    await new Promise<void>((resolve, reject) => {
      const hear = (piece: Buffer | string): void => {
        this.#output += String(piece);
        if (this.#output.slice(from).includes('Plotline is at ')) resolve();
      };
      child.stdout!.on('data', hear);
      child.stderr!.on('data', hear);
      child.once('error', reject);
      child.once('close', (code, signal) => reject(new Error(`the service exited (${signal ?? code}):\n${this.#output.slice(from)}`)));
    });
  }

  /**
   * Sends a signal; resolves with the exit code, or null if the signal killed it. With separate
   * processes, SIGKILL goes to one or all of them, see {@link ApartService.signal}.
   */
  async signal(name: NodeJS.Signals): Promise<number | null> {
    if (this.#apart) return this.#apart.signal(name);
    const child = this.#child!;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    if (this.#options.ownGroup) process.kill(-child.pid!, name);
    else child.kill(name);
    return ended;
  }

  /** Stops the service cleanly and removes its data folder. */
  async dispose(): Promise<void> {
    if (this.#apart) await this.#apart.stop();
    else await this.signal('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /**
   * Sends a request with the owner's token to `/api/v1` + `path`, or unmodified to a URL of another
   * server (an object in S3).
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    if (/^https?:/.test(path)) return fetch(path, init);
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${await this.token()}`);
    if (typeof init.body === 'string' && !headers.has('content-type')) headers.set('content-type', 'application/json');
    return fetch(`${this.url}/api/v1${path}`, { ...init, headers });
  }

  /**
   * Returns the JSON response to a request that must succeed. The OpenAPI document must describe
   * it, unless an older version responds.
   */
  async json<T>(path: string, body?: unknown): Promise<T> {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await this.fetch(path, body === undefined ? {} : { method, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const json = (await response.json()) as T;
    // Plain Node, as in `npm run screenshots`, does not run decorators.
    if (process.env.VITEST === undefined || this.#options.build !== undefined) return json;
    // Loaded on demand: many test files never request JSON, and this loads the read API.
    const { checkDocumented } = await import('../../apps/read/src/testing/documented-response.ts');
    checkDocumented({ method, path: `/api/v1${path}`, status: response.status, mediaType: 'application/json', json });
    return json;
  }
}

/** How a CLI process exited. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A CLI that can be killed, with a state folder that other CLIs can share. */
export class Cli {
  readonly #service: Service;
  readonly #stateDir: string;
  readonly #settings: NodeJS.ProcessEnv;

  /** `settings`: the environment of all its commands, e.g. another member's token. */
  constructor(service: Service, stateDir: string, settings: NodeJS.ProcessEnv = {}) {
    this.#service = service;
    this.#stateDir = stateDir;
    this.#settings = settings;
  }

  /** Starts `plotline ARGS`, with additional environment settings. */
  spawn(args: readonly string[], settings: NodeJS.ProcessEnv = {}): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
    const child = spawn(process.execPath, [...nodeArgumentsOf('plotline'), ...args], {
      env: {
        ...plainEnvironment(),
        PLOTLINE_DATA_DIR: this.#service.dataDir,
        XDG_STATE_HOME: this.#stateDir,
        XDG_CONFIG_HOME: this.#stateDir,
        ...this.#settings,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: outputOf(child) };
  }

  /** Runs `plotline ARGS` until it exits. */
  run(...args: string[]): Promise<CliResult> {
    return this.spawn(args).ended;
  }

  /** Runs `plotline ARGS --json`, which must succeed; returns the printed document. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`plotline ${args.join(' ')} exited with code ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }
}

/** The document that `plotline upload --one-shot --json` prints. */
export interface Uploaded {
  readonly experiment_id: string;
  readonly url: string;
  readonly runs: number;
  readonly files: number;
  readonly bytes: number;
  readonly uploaded_bytes: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobs: number;
  readonly damaged: readonly { readonly file: string; readonly offset: number; readonly reason: string }[];
}

/** Collects the output of a process until it exits. */
export function outputOf(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  return new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Returns the environment, without the Plotline settings of the user running the tests. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLOTLINE_') && name !== 'INIT_CWD'));
}
