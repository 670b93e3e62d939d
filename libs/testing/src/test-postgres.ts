import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderInUse, startPostgres, stopAbandoned } from '#embedded-postgres';
import type { PartState } from './parts.ts';
import { startCluster, type TestCluster } from './test-citus.ts';

/** A Postgres server that tests may use without restrictions. */
export interface TestPostgres {
  /** The administrator's URL. */
  readonly url: string;
  /** How the server was found or started, for display. */
  readonly how: string;
  stop(): Promise<void>;
}

const folderPrefix = 'plotline-test-postgres-';
/** Tests favor speed over durability: if the machine crashes, their data may be lost. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '128MB', max_connections: '200' };

/**
 * The cluster of `TEST_CITUS`, otherwise `TEST_POSTGRES_URL`, otherwise a container if a Docker
 * engine responds, otherwise the embedded binaries in a separate folder.
 */
export async function findPostgres(docker: PartState): Promise<TestPostgres | TestCluster | { missing: string }> {
  const citus = process.env.TEST_CITUS;
  if (citus) return startCluster(citus);
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return { url: given, how: 'TEST_POSTGRES_URL', stop: async () => {} };
  let containerFault = '';
  if ('found' in docker) {
    try {
      return await startContainer();
    } catch (error) {
      containerFault = `the container did not start (${(error as Error).message}); `;
    }
  }
  try {
    return await startEmbedded();
  } catch (error) {
    return { missing: `${containerFault}${(error as Error).message}` };
  }
}

async function startContainer(): Promise<TestPostgres> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = 'test';
  const container = await new GenericContainer('postgres:18')
    .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C' })
    .withCommand(['postgres', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])])
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2)) // The first occurrence is from the image's setup.
    .start();
  return {
    url: `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    how: 'a container (postgres:18)',
    stop: async () => void (await container.stop()),
  };
}

async function startEmbedded(): Promise<TestPostgres> {
  await removeAbandoned();
  const dataDir = await mkdtemp(join(tmpdir(), folderPrefix));
  const postgres = await startPostgres({ dataDir, settings });
  return {
    url: postgres.url(),
    how: 'the embedded binaries',
    stop: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

/**
 * A killed test run leaves its Postgres running and its folder behind. The next run removes both.
 */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tmpdir(), name);
    try {
      await stopAbandoned(folder);
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The folder belongs to another run or another user.
      if (!(error instanceof FolderInUse) && code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOENT') throw error;
    }
  }
}
