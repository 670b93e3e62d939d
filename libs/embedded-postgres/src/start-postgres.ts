import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, open, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, binariesIn, findBinaries } from './binaries.ts';
import { lockFolder } from './folder-lock.ts';
import { freePort, keepPort, lastPort } from './kept-port.ts';
import { initCluster } from './init-cluster.ts';
import { KeptPostmaster } from './keep-running.ts';
import { clearOrphan, readPostmasterFile } from './orphan.ts';
import { chooseRunAs, giveTo, type RunAs, type RunAsMethod } from './run-as.ts';
import { readOrCreateSecret } from './secret-file.ts';
import { until } from './until.ts';

export interface StartPostgresOptions {
  /**
   * Folder for everything: the cluster (`postgres/`), passwords, port, log, lock. Created if
   * absent, mode 0700.
   */
  readonly dataDir: string;
  /** Postgres settings in addition to the defaults below, e.g. `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with messages about what was done and why, one line at a time. */
  readonly log?: (line: string) => void;
  /** Folder with `initdb` and `postgres`; by default, the npm package's binaries. */
  readonly binFolder?: string;
  /** Ways to run as a user other than root, for tests; by default the first that works. */
  readonly runAs?: readonly RunAsMethod[];
}

export interface EmbeddedPostgres {
  readonly port: number;
  /** How Postgres was run; see {@link RunAsMethod}. */
  readonly runAs: RunAsMethod;
  /** Whether a Postgres that a killed service had left behind was stopped first. */
  readonly orphanStopped: boolean;
  /**
   * Address including the role's password; by default for the superuser and the database
   * `postgres`. Other roles use the option `password`.
   */
  url(role?: string, database?: string): string;
  /**
   * The random password of a role, stored in the data folder (mode 0600). The caller sets it in the
   * database.
   */
  password(role: string): string;
  /** Fast shutdown; idempotent. */
  stop(): Promise<void>;
}

/**
 * Measured settings are explained in docs/adr; the others are Postgres' own defaults for a small
 * machine. All can be overridden.
 */
const defaults: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a path below the data folder can be longer than a socket's name allows (107 bytes)
  max_connections: '100',
  shared_buffers: '256MB',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  wal_compression: 'pglz',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h', // each checkpoint writes every page in use twice, to the WAL and to its file; max_wal_size bounds recovery
  jit: 'off', // the queries are short; compiling them costs more than it saves
  autovacuum: 'on',
  password_encryption: 'scram-sha-256',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const loginRoles = ['postgres', 'plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] as const;

/**
 * Starts a data folder's Postgres and resolves when it accepts connections; creates the cluster
 * first if there is none. Keeps it running on the same port until `stop`. Throws `FolderInUse`
 * while another live Plotline process uses the folder. Postgres runs in a separate session: Ctrl-C
 * on the terminal reaches only the service, which decides when Postgres stops. Postgres also stops
 * at `process.exit`; only SIGKILL leaves it running, for the next start to clean up.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const lock = await lockFolder(dataDir);
  try {
    const binaries = options.binFolder === undefined ? await findBinaries() : binariesIn(options.binFolder);
    const cluster = join(dataDir, 'postgres');
    const runAs = await chooseRunAs(binaries.postgres, dataDir, cluster, options.runAs);
    explain(runAs, log);
    const secrets = new Map<string, string>();
    for (const role of loginRoles) secrets.set(role, await readOrCreateSecret(join(dataDir, 'secrets', role)));
    const settings = { ...defaults, ...options.settings };
    if (await exists(cluster)) {
      await giveTo(runAs, cluster);
      await rejectOtherVersion(binaries, cluster);
    } else {
      log(`creating a new Postgres cluster in ${cluster}`);
      await initCluster(binaries.initdb, cluster, secrets.get('postgres')!, runAs, settings.fsync !== 'off');
    }
    const orphan = await clearOrphan(cluster, log);
    let port = 0;
    const postmaster = new KeptPostmaster(async (onSpawn) => {
      if (port !== 0) await clearOrphan(cluster, log);
      port = await launch(binaries, dataDir, cluster, runAs, settings, { port, onSpawn, log });
    }, log);
    await postmaster.start();
    const stopAtExit = () => postmaster.stopAtExit();
    process.once('exit', stopAtExit);
    let stopping: Promise<void> | undefined;
    const password = (role: string) => {
      const secret = secrets.get(role);
      if (secret === undefined) throw new Error(`There is no login role ${role}.`);
      return secret;
    };
    return {
      port,
      runAs: runAs.method,
      orphanStopped: orphan === 'stopped',
      password,
      url: (role = 'postgres', database = 'postgres') =>
        `postgres://${role}:${password(role)}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
      stop: () =>
        (stopping ??= (async () => {
          process.off('exit', stopAtExit);
          await postmaster.stop();
          await lock.release();
        })()),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const loopback = '127.0.0.1';

interface LaunchOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly onSpawn: (child: ChildProcess) => void;
  readonly log: (line: string) => void;
}

/**
 * Starts the postmaster and returns its port; retries if another program took the port, or if
 * backends of a crashed postmaster are still ending.
 */
async function launch(
  binaries: Binaries,
  dataDir: string,
  cluster: string,
  runAs: RunAs,
  settings: Readonly<Record<string, string>>,
  { port: wanted, onSpawn, log }: LaunchOptions,
): Promise<number> {
  const logPath = join(dataDir, 'postgres.log');
  const portFile = join(dataDir, 'postgres.port');
  for (let attempt = 1; ; attempt++) {
    const port = wanted || (await choosePort(portFile));
    const logFile = await open(logPath, 'a', 0o600);
    const logStart = (await logFile.stat()).size;
    const args = ['-D', cluster, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const command = runAs.command(binaries.postgres, args);
    const child = spawn(command.file, command.args, {
      cwd: '/',
      detached: true, // setsid: not in the terminal's process group
      stdio: ['ignore', logFile.fd, logFile.fd],
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    onSpawn(child);
    const failure = await settled(child, cluster);
    await logFile.close();
    if (failure === null) {
      child.unref();
      if (wanted === 0) await keepPort(portFile, port);
      return port;
    }
    const said = (await readFile(logPath, 'utf8')).slice(logStart).trim();
    const passing = /could not bind|could not create any TCP|pre-existing shared memory block/.test(said);
    if (!passing || attempt === 5)
      throw new Error(`Postgres did not start (${failure}). Its log, ${logPath}, ends with:\n${said.split('\n').slice(-8).join('\n')}`);
    log(`Postgres did not start (${said.split('\n').at(-1)}), retrying`);
    await until(async () => false, 500 * attempt);
  }
}

/**
 * Returns null once the child is a postmaster that accepts connections; otherwise the error. Crash
 * recovery can take a while, so there is no time limit.
 */
async function settled(child: ChildProcess, cluster: string): Promise<string | null> {
  let failure: string | null = null;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code, signal) => (failure = signal ? `ended by ${signal}` : `exit code ${code}`));
  const ready = async () => {
    const file = await readPostmasterFile(cluster);
    return file?.pid === child.pid && file?.ready === true;
  };
  await until(async () => failure !== null || (await ready()), Number.POSITIVE_INFINITY);
  return failure;
}

/** The previous port if it is free, otherwise any free port. */
async function choosePort(portFile: string): Promise<number> {
  const port = (await lastPort(portFile, loopback)) || (await freePort(loopback, 0));
  if (port === 0) throw new Error(`No free port on ${loopback}.`);
  return port;
}

async function rejectOtherVersion(binaries: Binaries, cluster: string): Promise<void> {
  const made = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await promisify(execFile)(binaries.postgres, ['--version'], { cwd: '/' });
  const ours = /\) (\d+)/.exec(stdout)?.[1];
  if (ours !== made) {
    throw new Error(
      `The data folder was created by Postgres ${made}, but this Plotline includes Postgres ${ours}. Export with the Plotline version that created it, or move the data with pg_dump.`,
    );
  }
}

function explain(runAs: RunAs, log: (line: string) => void): void {
  if (runAs.method === 'namespace')
    log('Postgres refuses to run as root: running it in a user namespace, where it is not root (you still own its files)');
  if (runAs.method === 'user') {
    log(
      `Postgres refuses to run as root: running it as user ${runAs.owner?.uid}, with the capability to enter folders closed to that user (CAP_DAC_OVERRIDE)`,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
