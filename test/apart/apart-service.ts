import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import {
  createClusterDatabase,
  type PrivateRedis,
  type PrivateS3,
  startCluster,
  startRedis,
  startS3,
  type TestBucket,
  type TestCluster,
} from '#testing';
import { Front } from './front.ts';
import type { ProgramKind } from './program.ts';
import { migrate, Programs } from './programs.ts';

/** The number of processes of each kind, and their settings. */
export interface ApartOptions {
  /** The folder with all data of the service and its backends. */
  readonly dataDir: string;
  /** Port of the proxy. */
  readonly port: number;
  /** The complete environment; URLs and secrets of the backends are added. */
  readonly env: NodeJS.ProcessEnv;
  readonly count?: { readonly upload: number; readonly ingest: number; readonly read: number };
  /** Additional settings per kind of process. */
  readonly envOf?: Partial<Record<ProgramKind, NodeJS.ProcessEnv>>;
  /** The administrator has CREATEROLE and CREATEDB, but is not a superuser. */
  readonly managedPostgres?: boolean;
  /** The folder of another built version to start instead. */
  readonly build?: string | undefined;
  /**
   * Secrets are in files (`NAME_FILE`), which a test can change; see {@link
   * ApartService.secretFile}.
   */
  readonly secretFiles?: boolean | undefined;
  /**
   * The database is distributed over a cluster of the Postgres programs in `binFolder`, which have
   * Citus; null for a single server. Default: `TEST_CITUS`, except for services that need a single
   * server: managed services, older versions, and services restored from a backup.
   */
  readonly citus?: { readonly binFolder: string; readonly shards: number } | null;
  /** Called when the backends are running, before `migrate`. A backup can be restored here. */
  readonly onBackends?: ((service: ApartService) => Promise<void>) | undefined;
}

const kinds = ['upload', 'ingest', 'read'] as const;
const roles = { APP: 'plotline_app', INGEST: 'plotline_ingest', SWEEPER: 'plotline_sweeper', MIGRATOR: 'plotline_migrator' } as const;
const database = 'plotline';
/** The service starts only if the database does not lose commits. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** A service that runs as separate processes with its own backends, behind one address. */
export class ApartService {
  readonly #options: ApartOptions;
  #postgres: EmbeddedPostgres | null = null;
  #cluster: TestCluster | null = null;
  #redis: PrivateRedis | null = null;
  #s3: PrivateS3 | null = null;
  #bucket: TestBucket | null = null;
  #front: Front | null = null;
  #programs: Programs | null = null;
  #kills = 0;

  constructor(options: ApartOptions) {
    this.#options = options;
  }

  get programs(): Programs {
    return started(this.#programs);
  }

  get postgres(): EmbeddedPostgres {
    return started(this.#postgres);
  }

  get redis(): PrivateRedis {
    return started(this.#redis);
  }

  get s3(): PrivateS3 {
    return started(this.#s3);
  }

  /** The bucket with the service's objects, for `openBlobStore`. */
  get bucket(): TestBucket['options'] {
    return started(this.#bucket).options;
  }

  get output(): string {
    return this.#programs?.output ?? '';
  }

  /** PIDs of all running processes. */
  get pids(): number[] {
    return this.programs.all.flatMap(({ pid }) => (pid === null ? [] : [pid]));
  }

  /** Starts everything that is not running; resolves when everything serves. */
  async start(): Promise<void> {
    if (this.#programs) return this.#programs.restart();
    try {
      await this.#startAll();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #startAll(): Promise<void> {
    const { dataDir, port, build } = this.#options;
    // Must be first, before another program uses the port.
    this.#front = await Front.start(
      (kind) => (this.#programs?.of(kind) ?? []).flatMap(({ serves, port: at }) => (serves ? [at] : [])),
      port,
    );
    await this.#startBackends();
    if (this.#options.secretFiles) await this.#writeSecrets();
    await this.#options.onBackends?.(this);
    const env = this.environment;
    const options = this.#citus ? ['--distribute', '--shards', String(this.#citus.shards)] : [];
    await migrate({ ...env, PLOTLINE_DATABASE_URL: await this.#administrator(), PLOTLINE_DATA_DIR: dataDir }, options, build);
    const programs = new Programs(env);
    this.#programs = programs;
    const count = this.#options.count ?? { upload: 2, ingest: 2, read: 2 };
    await Promise.all(kinds.map((kind) => programs.start(kind, count[kind], this.#options.envOf?.[kind], build)));
  }

  /** The settings of the service's processes, for other programs. */
  get environment(): NodeJS.ProcessEnv {
    return { PLOTLINE_PUBLIC_URL: `http://127.0.0.1:${this.#options.port}`, ...this.#options.env, ...this.#settings() };
  }

  /**
   * Replaces every process with a process of another version, as docs/kubernetes.md describes: runs
   * `migrate`, then replaces the processes of each kind one by one. A new process serves before an
   * old one stops, and an old process gets no requests in its last second (`maxSurge: 1`,
   * `maxUnavailable: 0`, a grace period). `build` is null for this repository's version. Returns
   * the output of `migrate`.
   */
  async roll(build: string | null): Promise<string> {
    const folder = build ?? undefined;
    const output = await migrate(this.environment, [], folder);
    await Promise.all(kinds.map((kind) => this.#rollKind(kind, folder)));
    return output;
  }

  async #rollKind(kind: ProgramKind, build: string | undefined): Promise<void> {
    for (const old of this.programs.of(kind).filter(({ serves }) => serves)) {
      await this.programs.start(kind, 1, this.#options.envOf?.[kind], build);
      old.retire();
      await sleep(1_000);
      const { code, output } = await old.end('SIGTERM');
      if (code !== 0) throw new Error(`${kind} ended with ${code}: ${output.slice(-2_000)}`);
    }
  }

  /**
   * Sends a signal. SIGKILL goes to one process at a time, round robin, and every fifteenth time to
   * all; other signals go to all.
   */
  async signal(name: NodeJS.Signals): Promise<number | null> {
    if (!this.#programs) return null;
    if (name !== 'SIGKILL') return (await this.programs.end(name)).find(({ code }) => code !== 0)?.code ?? 0;
    const kill = this.#kills++;
    const all = this.programs.all;
    if (kill % 15 === 14) await this.programs.end(name);
    else await all[kill % all.length]!.end(name);
    return null;
  }

  /** Returns the PIDs of all Postgres processes except the postmaster. */
  async backends(): Promise<number[]> {
    const postmaster = (await readFile(join(this.#options.dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]!;
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    return children.trim().split(' ').map(Number);
  }

  /** Stops the processes and the backends. */
  async stop(): Promise<void> {
    await this.#front?.close();
    await this.#programs?.end('SIGTERM');
    await Promise.all([(this.#cluster ?? this.#postgres)?.stop(), this.#redis?.stop(), this.#s3?.stop()]);
  }

  async #startBackends(): Promise<void> {
    const { dataDir } = this.#options;
    if (this.#citus) await this.#startCluster(this.#citus.binFolder);
    else this.#postgres = await startPostgres({ dataDir });
    this.#redis = await startRedis();
    this.#s3 = await startS3({ folder: join(dataDir, 'blobs') });
    this.#bucket = await this.#s3.createBucket();
  }

  get #citus(): NonNullable<ApartOptions['citus']> | null {
    const { citus, managedPostgres, build, onBackends } = this.#options;
    if (citus !== undefined) return citus;
    const binFolder = process.env.TEST_CITUS;
    return !binFolder || managedPostgres || build !== undefined || onBackends ? null : { binFolder, shards: 4 };
  }

  /** The nodes from an earlier start already have the database. */
  async #startCluster(binFolder: string): Promise<void> {
    const { dataDir } = this.#options;
    const isNew = !existsSync(join(dataDir, 'postgres'));
    this.#cluster = await startCluster(binFolder, { dataDir, settings: durable });
    this.#postgres = this.#cluster.nodes[0]!;
    if (isNew) await createClusterDatabase({ coordinator: this.#cluster.url, workers: this.#cluster.workerUrls }, database);
  }

  /** Returns the administrator's URL for `migrate`. */
  async #administrator(): Promise<string> {
    if (!this.#options.managedPostgres) return this.postgres.url();
    const superuser = new pg.Client({ connectionString: this.postgres.url() });
    await superuser.connect();
    try {
      await superuser.query(`create role managed_admin login createrole createdb password 'secret'`);
    } finally {
      await superuser.end();
    }
    return `postgres://managed_admin:secret@127.0.0.1:${this.postgres.port}/postgres`;
  }

  /** Returns the file that contains a secret. */
  secretFile(name: string): string {
    return join(this.#options.dataDir, 'secret-files', name);
  }

  async #writeSecrets(): Promise<void> {
    await mkdir(join(this.#options.dataDir, 'secret-files'), { mode: 0o700 });
    for (const [name, value] of Object.entries(this.#addresses()))
      if (isSecret(name)) await writeFile(this.secretFile(name), `${value}\n`, { mode: 0o600 });
  }

  /** Returns the settings with the addresses of the backends, or the files that contain them. */
  #settings(): NodeJS.ProcessEnv {
    const all = Object.entries(this.#addresses());
    if (!this.#options.secretFiles) return Object.fromEntries(all);
    return Object.fromEntries(all.map(([name, value]) => (isSecret(name) ? [`${name}_FILE`, this.secretFile(name)] : [name, value])));
  }

  #addresses(): NodeJS.ProcessEnv {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.bucket;
    const databases = Object.entries(roles).map(([name, role]) => [`PLOTLINE_${name}_DATABASE_URL`, this.postgres.url(role, database)]);
    return {
      ...(Object.fromEntries(databases) as NodeJS.ProcessEnv),
      PLOTLINE_SECRET_KEY: 'a secret key for these processes only',
      PLOTLINE_REDIS_URL: this.redis.url,
      PLOTLINE_S3_ENDPOINT: endpoint,
      PLOTLINE_S3_BUCKET: bucket,
      PLOTLINE_S3_REGION: region,
      PLOTLINE_S3_ACCESS_KEY_ID: accessKeyId,
      PLOTLINE_S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }
}

function started<T>(part: T | null): T {
  if (part === null) throw new Error('the service has not been started yet');
  return part;
}

/** Whether the setting can be in a file. */
function isSecret(name: string): boolean {
  return /_(URL|KEY|KEY_ID)$/.test(name) && name !== 'PLOTLINE_PUBLIC_URL';
}
