import type { PartState } from './parts.ts';
import { startRedis } from './private-redis.ts';

/** A Redis server that all suites in a run share. Each suite uses unique names in it. */
export interface TestRedis {
  readonly url: string;
  /** How the server was found or started, for display. */
  readonly how: string;
  stop(): Promise<void>;
}

/**
 * `TEST_REDIS_URL`, otherwise a container if a Docker engine responds, otherwise the `redis-server`
 * of this machine, which is installed if possible.
 */
export async function findRedis(docker: PartState): Promise<TestRedis | { missing: string }> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, how: 'TEST_REDIS_URL', stop: async () => {} };
  let containerFault = '';
  if ('found' in docker) {
    try {
      return await startContainer();
    } catch (error) {
      containerFault = `the container did not start (${(error as Error).message}); `;
    }
  }
  try {
    const redis = await startRedis();
    return { url: redis.url, how: 'redis-server', stop: () => redis.stop() };
  } catch (error) {
    return { missing: `${containerFault}${(error as Error).message}` };
  }
}

async function startContainer(): Promise<TestRedis> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer('valkey/valkey:8.1')
    .withCommand(['valkey-server', '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    how: 'a container (valkey/valkey:8.1)',
    stop: async () => void (await container.stop()),
  };
}
