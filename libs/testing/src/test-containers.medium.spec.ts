import { afterEach, expect, inject, it, vi } from 'vitest';
import { describeWith } from './test-database.ts';
import { findPostgres } from './test-postgres.ts';
import { findRedis } from './test-redis.ts';
import { findS3 } from './test-s3.ts';

describeWith(['docker'], 'with a Docker engine', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['TEST_POSTGRES_URL', findPostgres, 'a container (postgres:18)'],
    ['TEST_REDIS_URL', findRedis, 'a container (valkey/valkey:8.1)'],
    ['TEST_S3_ENDPOINT', findS3, 'a container (versity/versitygw:v1.8.0)'],
  ] as const)('a container is started if %s is not set', async (variable, find, how) => {
    vi.stubEnv(variable, undefined);
    const server = await find(inject('parts').docker);
    if ('missing' in server) throw new Error(server.missing);
    await server.stop();
    expect(server.how).toBe(how);
  });
});
