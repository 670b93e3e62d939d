import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeWith, type PrivateRedis, startRedis, testRedisUrl } from '#testing';
import { RedisTokens } from './redis-tokens.ts';

describeWith(['redis'], 'tokens that processes share', () => {
  let processes: RedisTokens[];
  let redis: Redis;
  beforeAll(async () => {
    processes = [new RedisTokens({ url: testRedisUrl() }), new RedisTokens({ url: testRedisUrl() })];
    redis = new Redis(testRedisUrl());
    // Calls are rejected until the connection is open.
    for (const tokens of processes) await vi.waitFor(() => tokens.take(randomUUID(), 1, 60));
  });
  afterAll(async () => {
    for (const tokens of processes ?? []) tokens.close();
    await redis?.quit();
  });

  const keyOf = (name: string): string => `plotline:requests:{${name}}`;

  it("are granted once each, at most as many as a minute's refill", async () => {
    const name = randomUUID();
    const takes = await Promise.all(Array.from({ length: 40 }, (_, i) => processes[i % 2]!.take(name, 5, 100)));
    expect(takes.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
    const rejected = await processes[0]!.take(name, 5, 100);
    expect(rejected).toMatchObject({ granted: 0, left: 0 });
    expect(rejected.waitMs).toBeGreaterThan(0);
    expect(rejected.waitMs).toBeLessThanOrEqual(600);
    expect((await processes[1]!.take(randomUUID(), 5, 100)).granted).toBe(5);
  });

  it('are granted neither too often nor too late after the clock jumps', async () => {
    const name = randomUUID();
    await processes[0]!.take(name, 100, 100);
    const dayMs = 86_400_000;
    const [seconds] = await redis.time();
    // The bucket's last refill is now in the future, because the clock went back by a day.
    await redis.hset(keyOf(name), 'tokens', '0', 'at', String(Number(seconds) * 1_000 + dayMs));
    expect((await processes[0]!.take(name, 100, 100)).granted).toBe(0);
    // From then on, the bucket is refilled normally.
    const at = Number(await redis.hget(keyOf(name), 'at'));
    expect(Math.abs(at - Number(seconds) * 1_000)).toBeLessThan(60_000);
    await redis.hset(keyOf(name), 'at', String(at - 30_000));
    const half = (await processes[0]!.take(name, 100, 100)).granted;
    expect(half).toBeGreaterThanOrEqual(50);
    expect(half).toBeLessThan(100);
    // The clock can also jump ahead; a year then counts as a minute.
    await redis.hset(keyOf(name), 'tokens', '0', 'at', String(at - 365 * dayMs));
    expect((await processes[0]!.take(name, 1_000, 100)).granted).toBe(100);
  });

  it('do not overflow at the largest quota, and expire when unused', async () => {
    const name = randomUUID();
    const largest = 999_999_999_999_999;
    expect(await processes[0]!.take(name, 1_000, largest)).toEqual({ granted: 1_000, left: largest - 1_000, waitMs: 0 });
    expect(await redis.pttl(keyOf(name))).toBeGreaterThan(60_000);
  });

  it('fail within 250 ms while Redis is down or frozen', async () => {
    const own: PrivateRedis = await startRedis();
    const tokens = new RedisTokens({ url: own.url });
    try {
      await expect.poll(() => tokens.take('a', 1, 60)).toMatchObject({ granted: 1 });
      process.kill(own.pid!, 'SIGSTOP');
      await expect(tokens.take('a', 1, 60)).rejects.toThrow('250 ms');
      process.kill(own.pid!, 'SIGCONT');
      await own.kill();
      await expect(tokens.take('a', 1, 60)).rejects.toBeInstanceOf(Error);
      await own.start();
      await expect.poll(() => tokens.take('b', 1, 60).catch(() => null), { timeout: 10_000 }).toMatchObject({ granted: 1 });
    } finally {
      tokens.close();
      await own.stop();
    }
  });
});
