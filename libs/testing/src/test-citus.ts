import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';

/** A coordinator and two workers on this machine. Each restarts after it is killed. */
export interface TestCluster {
  /** The coordinator's administrator address. */
  readonly url: string;
  /** How the cluster was started, for display. */
  readonly how: string;
  /** The workers' administrator addresses. */
  readonly workerUrls: readonly string[];
  /** The coordinator's data folder. */
  readonly folder: string;
  /** The coordinator, followed by the workers. */
  readonly nodes: readonly EmbeddedPostgres[];
  /** Starts another server that is not yet a worker of any database. */
  addServer(): Promise<EmbeddedPostgres>;
  /** Sends `kill -9` to a node's postmaster. Resolves when its successor responds. */
  kill(node: EmbeddedPostgres): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** The coordinator's data folder, which is kept. The other nodes' folders are inside it. */
  readonly dataDir?: string;
  /** Postgres settings in addition to those that tests use. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with log lines from the nodes' supervisors. */
  readonly log?: (line: string) => void;
}

const workers = 2;
const settings = {
  shared_preload_libraries: 'citus',
  'citus.enable_statistics_collection': 'off', // it would call home
  'citus.max_background_task_executors': '1',
  wal_level: 'logical',
  max_prepared_transactions: '200',
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
};

/**
 * Starts a cluster from the Postgres in `binFolder`, which must have Citus. Nodes trust every
 * connection from this machine.
 */
export async function startCluster(binFolder: string, options: ClusterOptions = {}): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-test-citus-'));
  const hba = `${folder}.hba`;
  await writeFile(hba, 'host all all 127.0.0.1/32 trust\n', { mode: 0o644 });
  const nodes: EmbeddedPostgres[] = [];
  const folderOf = (n: number) =>
    options.dataDir === undefined ? join(folder, String(n)) : n === 0 ? options.dataDir : join(options.dataDir, 'workers', String(n));
  const addServer = async () => {
    const dataDir = folderOf(nodes.length);
    const node = await startPostgres({
      dataDir,
      binFolder,
      settings: { ...settings, ...options.settings, hba_file: hba },
      log: options.log,
    });
    nodes.push(node);
    return node;
  };
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true });
    await rm(hba);
  };
  const kill = async (node: EmbeddedPostgres) => {
    const pidFile = await readFile(join(folderOf(nodes.indexOf(node)), 'postgres/postmaster.pid'), 'utf8');
    process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
    for (;;) {
      const now = await readFile(join(folderOf(nodes.indexOf(node)), 'postgres/postmaster.pid'), 'utf8').catch(() => pidFile);
      if (now.split('\n')[0] !== pidFile.split('\n')[0] && (await isServing(urlOf(node)))) return;
      await sleep(50);
    }
  };
  try {
    for (let n = 0; n <= workers; n++) await addServer();
  } catch (error) {
    await stop();
    throw error;
  }
  const [coordinator, ...others] = nodes.map(urlOf);
  return { url: coordinator!, workerUrls: others, how: `Citus in ${binFolder}`, folder: folderOf(0), nodes, addServer, kill, stop };
}

/** A node's administrator address. */
function urlOf({ port }: EmbeddedPostgres): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

async function isServing(url: string): Promise<boolean> {
  try {
    await query(url, 'select');
    return true;
  } catch {
    return false;
  }
}

/** Creates a database with the extension on every node, and adds the workers to it. */
export async function createClusterDatabase(
  urls: { readonly coordinator: string; readonly workers: readonly string[] },
  name: string,
): Promise<void> {
  for (const url of [...urls.workers, urls.coordinator]) await createNodeDatabase(url, name);
  await query(inDatabase(urls.coordinator, name), `select citus_set_coordinator_host('127.0.0.1', ${new URL(urls.coordinator).port})`);
  for (const url of urls.workers) await addWorker(urls.coordinator, url, name);
}

/** Creates a database with the extension on a node. */
export async function createNodeDatabase(url: string, name: string): Promise<void> {
  await query(url, `set citus.enable_create_database_propagation = off`, `create database ${pg.escapeIdentifier(name)} template template0`);
  await query(inDatabase(url, name), 'create extension citus');
}

/** Adds a node to the database as a worker. The node already has the database. */
async function addWorker(coordinator: string, url: string, name: string): Promise<void> {
  await query(inDatabase(coordinator, name), `select citus_add_node('127.0.0.1', ${new URL(url).port})`);
}

function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/**
 * Prevents connections to a database on every node, so that it can be copied or removed: Citus
 * keeps a process in each database with the extension, and starts it again.
 */
export async function closeClusterDatabase(urls: readonly string[], name: string): Promise<void> {
  const literal = pg.escapeLiteral(name);
  // A database that could not be created exists on only some nodes.
  const close = `do $$ begin if exists (select from pg_database where datname = ${literal}) then
    alter database ${pg.escapeIdentifier(name)} allow_connections false; end if; end $$`;
  for (const url of urls) await query(url, close);
  for (const url of urls) await query(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${literal}`);
}

/** Closes a database, and removes it from every node. */
export async function dropClusterDatabase(urls: readonly string[], name: string): Promise<void> {
  await closeClusterDatabase(urls, name);
  for (const url of urls)
    await query(
      url,
      'set citus.enable_create_database_propagation = off',
      `drop database if exists ${pg.escapeIdentifier(name)} with (force)`,
    );
}

/**
 * Copies a closed database on every node. Citus stores its metadata in the database's own tables,
 * by object identifier, and the copy keeps these identifiers.
 */
export async function copyClusterDatabase(urls: readonly string[], from: string, name: string): Promise<void> {
  for (const url of urls)
    await query(
      url,
      'set citus.enable_create_database_propagation = off',
      `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(from)}`,
    );
}

async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'plotline-test' });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
