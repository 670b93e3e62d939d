import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PartState } from './parts.ts';
import { describeWith } from './test-database.ts';
import { findPostgres } from './test-postgres.ts';
import { findRedis } from './test-redis.ts';
import { findS3 } from './test-s3.ts';

/*
 * An address from the environment comes first, and a program on this machine last. Containers have
 * a separate file, because testcontainers reads the engine's address only once.
 */

const noEngine: PartState = { missing: 'no Docker engine' };
const kinds = { postgres: findPostgres, redis: findRedis, s3: findS3 };
const variables = ['TEST_POSTGRES_URL', 'TEST_REDIS_URL', 'TEST_S3_ENDPOINT', 'TEST_S3_ACCESS_KEY_ID', 'TEST_S3_SECRET_ACCESS_KEY'];

/**
 * How a server of this kind is found or started, given this state of `docker` and the variables in
 * `env`. The server is stopped afterward.
 */
async function howIs(kind: keyof typeof kinds, docker: PartState, env: Readonly<Record<string, string>> = {}): Promise<string> {
  for (const name of [...variables, 'TEST_CITUS', 'DOCKER_HOST']) vi.stubEnv(name, env[name]);
  const server = await kinds[kind](docker);
  if ('missing' in server) return `missing: ${server.missing}`;
  await server.stop();
  return server.how;
}

afterEach(() => vi.unstubAllEnvs());

describe('a server given in the environment', () => {
  // Nothing listens at these addresses, but an engine is available. The test contacts neither.
  const engine: PartState = { found: 'unix:///nowhere/docker.sock' };

  it('takes precedence over all others', async () => {
    expect(await howIs('postgres', engine, { TEST_POSTGRES_URL: 'postgres://127.0.0.1:9/none' })).toBe('TEST_POSTGRES_URL');
    expect(await howIs('redis', engine, { TEST_REDIS_URL: 'redis://127.0.0.1:9' })).toBe('TEST_REDIS_URL');
    const s3 = { TEST_S3_ENDPOINT: 'http://127.0.0.1:9', TEST_S3_ACCESS_KEY_ID: 'key', TEST_S3_SECRET_ACCESS_KEY: 'secret' };
    expect(await howIs('s3', engine, s3)).toBe('TEST_S3_ENDPOINT');
  });

  it('is missing if its keys are missing, without a fallback', async () => {
    expect(await howIs('s3', engine, { TEST_S3_ENDPOINT: 'http://127.0.0.1:9' })).toMatch(/^missing: TEST_S3_ENDPOINT is set, /);
  });
});

const programs = { postgres: 'the embedded binaries', redis: 'redis-server', s3: 'versitygw' };

for (const kind of ['postgres', 'redis', 's3'] as const) {
  describeWith([kind], `a program of this machine for ${kind}`, () => {
    it('is started if there is no engine, or if the engine starts no container', async () => {
      expect(await howIs(kind, noEngine)).toBe(programs[kind]);
      const dead = 'tcp://127.0.0.1:9';
      expect(await howIs(kind, { found: dead }, { DOCKER_HOST: dead })).toBe(programs[kind]);
    });
  });
}
