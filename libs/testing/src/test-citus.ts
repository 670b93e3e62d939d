import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';

/** A coordinator and two workers on this machine. */
export interface TestCluster {
  /** Administrator's address of the coordinator. */
  readonly url: string;
  /** How it was started, for display. */
  readonly how: string;
  /** Administrator's addresses of the workers. */
  readonly workerUrls: readonly string[];
  stop(): Promise<void>;
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
export async function startCluster(binFolder: string): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-test-citus-'));
  const hba = join(tmpdir(), `${folder.split('/').at(-1)}.hba`);
  await writeFile(hba, 'host all all 127.0.0.1/32 trust\n', { mode: 0o644 });
  const nodes: EmbeddedPostgres[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true });
    await rm(hba);
  };
  try {
    for (let n = 0; n <= workers; n++)
      nodes.push(await startPostgres({ dataDir: join(folder, String(n)), binFolder, settings: { ...settings, hba_file: hba } }));
  } catch (error) {
    await stop();
    throw error;
  }
  const [coordinator, ...others] = nodes.map((node) => `postgres://postgres@127.0.0.1:${node.port}/postgres`);
  return { url: coordinator!, workerUrls: others, how: `Citus in ${binFolder}`, stop };
}

/** Creates a database with the extension on every node, and adds the workers to it. */
export async function createClusterDatabase(
  urls: { readonly coordinator: string; readonly workers: readonly string[] },
  name: string,
): Promise<void> {
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  for (const url of [...urls.workers, urls.coordinator]) {
    await query(
      url,
      `set citus.enable_create_database_propagation = off`,
      `create database ${pg.escapeIdentifier(name)} template template0`,
    );
    await query(at(url), 'create extension citus');
  }
  const { port } = new URL(urls.coordinator);
  await query(
    at(urls.coordinator),
    `select citus_set_coordinator_host('127.0.0.1', ${port})`,
    ...urls.workers.map((url) => `select citus_add_node('127.0.0.1', ${new URL(url).port})`),
  );
}

/** Removes such a database from every node. */
export async function dropClusterDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls)
    await query(
      url,
      'set citus.enable_create_database_propagation = off',
      `drop database if exists ${pg.escapeIdentifier(name)} with (force)`,
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
