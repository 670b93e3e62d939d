import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres, type EmbeddedPostgres } from '#embedded-postgres';
import {
  createClusterDatabase,
  freePort,
  nodeArgumentsOf,
  type PrivateRedis,
  type PrivateS3,
  startCluster,
  startRedis,
  startS3,
  type TestBucket,
  type TestCluster,
} from '#testing';
import { Front } from '../apart/front.ts';
import { plainEnvironment } from '../e2e/service.ts';
import { databaseName, databaseUrls, environmentOf, migrateDatabase } from './environment.ts';
import { ManagedProcess } from './managed-process.ts';
import { FaultProxy } from './proxy.ts';
import { S3FaultProxy } from './s3-proxy.ts';
import { announcementOf } from './without/announce.ts';

export type ProcessKind = 'upload' | 'ingest' | 'read';

export type PartName = 'postgres' | 'redis' | 's3';

/**
 * Mechanisms that a process can run without, to show that the checker detects their absence:
 * modules in `without/` replace them.
 */
export type Safeguard = 'sweep' | 'commit-before-ack' | 'frontier';

/**
 * Connections that can go through a {@link FaultProxy}: from all processes to a backend
 * (`postgres`), or from one kind of process (`ingest-postgres`).
 */
export type LinkName = 'client' | PartName | `${ProcessKind}-${PartName}`;

/** Options of a {@link Stack}. */
export interface StackOptions {
  readonly seed: number;
  /** Number of processes per kind; default 2. */
  readonly uploads?: number;
  readonly ingests?: number;
  readonly reads?: number;
  readonly links?: readonly LinkName[];
  /** Additional settings of all processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Factor for the time limits of tests; more than 1 on machines with other load. */
  readonly timeFactor?: number;
  /** Postgres settings. */
  readonly postgres?: Readonly<Record<string, string>>;
  /** Redis settings, as in redis.conf. */
  readonly redis?: Readonly<Record<string, string>>;
  /** Folder of objects, e.g. a small file system; by default in the stack's own folder. */
  readonly objects?: string;
  /** Postgres data folder; by default in the stack's own folder. */
  readonly database?: string;
  /** Routes all requests to the object store through {@link Stack.s3Faults}. */
  readonly s3Faults?: boolean;
  /** Settings for a kind of process from its next start; they override all other settings. */
  readonly envOf?: (kind: ProcessKind) => NodeJS.ProcessEnv;
}

interface StackParts {
  readonly options: StackOptions;
  readonly folder: string;
  /** Postgres data folder. */
  readonly database: string;
  /** On a cluster, its coordinator. */
  readonly postgres: EmbeddedPostgres;
  /** With `TEST_CITUS`. */
  readonly cluster: TestCluster | null;
  readonly redis: PrivateRedis;
  readonly s3: PrivateS3;
  readonly front: Front;
  readonly links: ReadonlyMap<LinkName, FaultProxy>;
  readonly s3Faults: S3FaultProxy | null;
  /** The bucket of the processes, without proxies. */
  readonly bucket: TestBucket['options'];
  readonly processes: readonly ManagedProcess[];
  /** URL for clients, without a trailing slash. */
  readonly url: string;
  readonly token: string;
  /** PLOTLINE_FAILPOINTS for a kind of process, or for a single process, from its next start. */
  readonly armed: Map<string, string>;
  /** The safeguard that a kind of process runs without, from its next start. */
  readonly without: Map<ProcessKind, Safeguard>;
  /** Log of the Postgres supervisor. */
  readonly postgresLog: readonly string[];
}

/**
 * The whole system as in production: its own Postgres, Redis and object store, supervised upload,
 * ingest and read processes, and one address in front. Everything runs on this machine, and tests
 * can disrupt every part.
 */
export class Stack {
  /** The stacks of this process, which are stopped when the process is interrupted. */
  static readonly running = new Set<Stack>();
  readonly parts: StackParts;

  private constructor(parts: StackParts) {
    this.parts = parts;
    Stack.running.add(this);
  }

  /**
   * Starts everything; resolves when all processes serve. If something fails, stops what was
   * started.
   */
  static async start(options: StackOptions): Promise<Stack> {
    const undo: (() => Promise<unknown>)[] = [];
    try {
      return new Stack(await assemble(options, (stop) => undo.push(stop)));
    } catch (error) {
      for (const stop of undo.toReversed()) await stop();
      throw error;
    }
  }

  /** Returns the processes of one kind. */
  of(kind: ProcessKind): ManagedProcess[] {
    return this.parts.processes.filter(({ name }) => name.startsWith(`${kind}-`));
  }

  get url(): string {
    return this.parts.url;
  }

  get token(): string {
    return this.parts.token;
  }

  get seed(): number {
    return this.parts.options.seed;
  }

  get timeFactor(): number {
    return this.parts.options.timeFactor ?? 1;
  }

  get processes(): readonly ManagedProcess[] {
    return this.parts.processes;
  }

  /** The cluster over which the database is distributed. */
  get cluster(): TestCluster {
    if (!this.parts.cluster) throw new Error('the database is on a single server');
    return this.parts.cluster;
  }

  get redis(): PrivateRedis {
    return this.parts.redis;
  }

  get s3(): PrivateS3 {
    return this.parts.s3;
  }

  /**
   * Restarts the processes of one kind, or the process with this name, with these failpoints (null:
   * none). Resolves when they serve.
   */
  async arm(target: ProcessKind | `${ProcessKind}-${number}`, failpoints: string | null): Promise<void> {
    if (failpoints === null) this.parts.armed.delete(target);
    else this.parts.armed.set(target, failpoints);
    const targets = this.processes.filter(({ name }) => name === target || name.startsWith(`${target}-`));
    await Promise.all(
      targets.map(async (process) => {
        await process.stop();
        await process.start();
      }),
    );
  }

  /**
   * Restarts the processes of one kind without this safeguard (null: with all) and with these
   * failpoints (null: none). Resolves when they serve.
   */
  async runWithout(kind: ProcessKind, safeguard: Safeguard | null, failpoints: string | null = null): Promise<void> {
    if (safeguard === null) this.parts.without.delete(kind);
    else this.parts.without.set(kind, safeguard);
    await this.arm(kind, failpoints);
    if (safeguard === null) return;
    for (const { name, output } of this.of(kind))
      if (!output.includes(announcementOf(safeguard))) throw new Error(`${name} still has the safeguard ${safeguard}:\n${output}`);
  }

  /** Returns the proxy of a link, which must be in {@link StackOptions.links}. */
  link(name: LinkName): FaultProxy {
    const link = this.parts.links.get(name);
    if (!link) throw new Error(`the link ${name} has no proxy`);
    return link;
  }

  /** The proxy between the processes and the object store, with {@link StackOptions.s3Faults}. */
  get s3Faults(): S3FaultProxy {
    if (!this.parts.s3Faults) throw new Error('the object store has no proxy');
    return this.parts.s3Faults;
  }

  /** The administrator's URL of the service's database, without a proxy. */
  get adminUrl(): string {
    return this.parts.postgres.url('postgres', databaseName);
  }

  /** Returns the postmaster's PID from the data folder; null if it is not running. */
  async postgresPid(): Promise<number | null> {
    const file = await readFile(join(this.parts.database, 'postgres/postmaster.pid'), 'utf8').catch(() => null);
    return file === null ? null : Number(file.split('\n')[0]);
  }

  /** Resolves when every process serves. */
  async ready(): Promise<void> {
    await Promise.all(this.parts.processes.map((process) => process.ready()));
  }

  /**
   * Returns the environment of a CLI that uploads to this system, with its state below `stateDir`.
   */
  cliEnvironment(stateDir: string): NodeJS.ProcessEnv {
    const own = { PLOTLINE_SERVER: this.parts.url, PLOTLINE_TOKEN: this.parts.token, XDG_STATE_HOME: stateDir, XDG_CONFIG_HOME: stateDir };
    return { ...plainEnvironment(), ...own };
  }

  /** Stops everything and removes the folder. */
  async dispose(): Promise<void> {
    Stack.running.delete(this);
    for (const link of this.parts.links.values()) link.faults = {};
    await Promise.all(this.parts.processes.map((process) => process.stop()));
    await this.parts.front.close();
    await this.parts.s3Faults?.close();
    for (const link of this.parts.links.values()) await link.close();
    await this.parts.redis.stop();
    await this.parts.s3.stop();
    await (this.parts.cluster ?? this.parts.postgres).stop();
    await rm(this.parts.folder, { recursive: true, force: true });
  }
}

/** The service starts only if the database does not lose commits. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

async function assemble(options: StackOptions, started: (stop: () => Promise<unknown>) => void): Promise<StackParts> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-chaos-'));
  started(() => rm(folder, { recursive: true, force: true }));
  const postgresLog: string[] = [];
  const log = (line: string) => void postgresLog.push(line);
  const citus = process.env.TEST_CITUS;
  const cluster = citus ? await startCluster(citus, { settings: { ...durable, ...options.postgres }, log }) : null;
  const database = cluster?.folder ?? options.database ?? join(folder, 'database');
  const postgres = cluster?.nodes[0] ?? (await startPostgres({ dataDir: database, settings: options.postgres, log }));
  started(() => (cluster ?? postgres).stop());
  const redis = await startRedis({ appendonly: 'no', ...options.redis });
  started(() => redis.stop());
  const s3 = await startS3({ folder: options.objects });
  started(() => s3.stop());
  const bucket = await s3.createBucket();
  const s3Faults = options.s3Faults ? await S3FaultProxy.before(s3.endpoint, options.seed) : null;
  if (s3Faults) started(() => s3Faults.close());

  const links = new Map<LinkName, FaultProxy>();
  const through = async (name: LinkName, url: string): Promise<string> => {
    if (!options.links?.includes(name)) return url;
    const known = links.get(name);
    if (known) return known.urlFor(url);
    const linked = await FaultProxy.before(url, options.seed + links.size);
    links.set(name, linked.proxy);
    started(() => linked.proxy.close());
    return linked.url;
  };
  const ports = {
    upload: await freePorts(options.uploads ?? 2),
    ingest: await freePorts(options.ingests ?? 2),
    read: await freePorts(options.reads ?? 2),
  };
  const front = await Front.start((kind) => ports[kind]);
  started(() => front.close());
  const url = (await through('client', front.url)).replace(/\/$/, '');

  const base: Record<string, string> = {
    PLOTLINE_DATA_DIR: join(folder, 'data'),
    PLOTLINE_PUBLIC_URL: url,
    PLOTLINE_LOG_FORMAT: 'text',
    PLOTLINE_SECRET_KEY: 'of these processes, and of no others',
    PLOTLINE_REDIS_URL: redis.url,
    PLOTLINE_S3_ENDPOINT: s3Faults?.endpoint ?? s3.endpoint,
    PLOTLINE_S3_BUCKET: bucket.options.bucket,
    PLOTLINE_S3_REGION: s3.region,
    PLOTLINE_S3_ACCESS_KEY_ID: s3.accessKeyId,
    PLOTLINE_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    ...options.env,
  };
  if (cluster) await createClusterDatabase({ coordinator: cluster.url, workers: cluster.workerUrls }, databaseName);
  await migrateDatabase(postgres, { ...environmentOf(postgres), ...base }, cluster ? ['--distribute', '--shards', '4'] : []);
  const { token } = JSON.parse(await readFile(join(folder, 'data/credentials.json'), 'utf8')) as { token: string };

  const settings = { ...base, ...databaseUrls(postgres, (address) => address) };
  const ledSettings = { upload: settings, ingest: settings, read: settings };
  for (const kind of ['upload', 'ingest', 'read'] as const) {
    const part = async (name: PartName, address: string): Promise<string> => through(`${kind}-${name}`, await through(name, address));
    const led = new URL(await part('postgres', postgres.url()));
    ledSettings[kind] = {
      ...base,
      ...databaseUrls(postgres, (address) => Object.assign(new URL(address), { host: led.host }).href),
      PLOTLINE_REDIS_URL: await part('redis', redis.url),
      PLOTLINE_S3_ENDPOINT: (await part('s3', base.PLOTLINE_S3_ENDPOINT!)).replace(/\/$/, ''),
    };
  }
  const armed = new Map<string, string>();
  const without = new Map<ProcessKind, Safeguard>();
  const processes = (['upload', 'ingest', 'read'] as const).flatMap((kind) =>
    ports[kind].map((port, i) =>
      service(
        kind,
        i,
        port,
        () => ({ ...ledSettings[kind], ...preload(without.get(kind)), ...options.envOf?.(kind) }),
        () => armed.get(`${kind}-${i}`) ?? armed.get(kind),
        options.seed,
      ),
    ),
  );
  for (const process of processes) started(() => process.stop());
  await Promise.all(processes.map((process) => process.start()));
  return {
    options,
    folder,
    database,
    postgres,
    cluster,
    redis,
    s3,
    bucket: bucket.options,
    s3Faults,
    front,
    links,
    processes,
    url,
    token,
    armed,
    without,
    postgresLog,
  };
}

function service(
  kind: ProcessKind,
  number: number,
  port: number,
  settings: () => NodeJS.ProcessEnv,
  failpoints: () => string | undefined,
  seed: number,
): ManagedProcess {
  return new ManagedProcess({
    name: `${kind}-${number}`,
    command: process.execPath,
    args: nodeArgumentsOf(`start:${kind}`),
    env: (start) => {
      const wanted = failpoints();
      // A different seed at each start: with the same seed, failpoints would trigger at the same
      // moment after each start.
      const own = wanted === undefined ? {} : { PLOTLINE_FAILPOINTS: `seed=${seed * 10_007 + number * 1_009 + start},${wanted}` };
      return { ...plainEnvironment(), ...settings(), PLOTLINE_PORT: String(port), ...own };
    },
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok,
  });
}

/** Returns settings that preload the module that removes this safeguard. */
function preload(safeguard: Safeguard | undefined): NodeJS.ProcessEnv {
  return safeguard ? { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, `without/${safeguard}.ts`)).href}` } : {};
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}
