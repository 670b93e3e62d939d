import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PrivateRedis, startRedis } from './private-redis.ts';
import { describeWith } from './test-database.ts';

describeWith(['redis'], 'a private Redis', () => {
  let redis: PrivateRedis;

  beforeEach(async () => {
    redis = await startRedis({ maxmemory: '100mb' });
  });
  afterEach(() => redis.stop());

  async function ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(redis.url);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }

  it('keeps its data and its address after a kill', async () => {
    const { url, pid } = redis;
    await ask((client) => client.set('a', '1'));
    await redis.kill();
    expect(redis.pid).toBeNull();
    await redis.start();
    expect(redis.url).toBe(url);
    expect(redis.pid).not.toBe(pid);
    expect(await ask((client) => client.get('a'))).toBe('1');
  });

  it('keeps only its settings after a wipe', async () => {
    await ask((client) => client.set('a', '1'));
    await redis.wipe();
    await redis.start();
    expect(await ask((client) => client.dbsize())).toBe(0);
    expect(await ask((client) => client.config('GET', 'maxmemory'))).toEqual(['maxmemory', String(100 * 2 ** 20)]);
  });

  it('leaves nothing behind after a stop, and may be stopped twice', async () => {
    const [, folder = ''] = (await ask((client) => client.config('GET', 'dir'))) as string[];
    expect(existsSync(folder)).toBe(true);
    await redis.stop();
    expect(existsSync(folder)).toBe(false);
  });
});
