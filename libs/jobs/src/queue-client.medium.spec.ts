import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { describeWith, type PrivateRedis, startRedis } from '#testing';
import { QueueClient } from './queue-client.ts';

describeWith(['redis'], 'a connection to the queue', () => {
  let redis: PrivateRedis;
  let admin: Redis;
  let client: QueueClient;
  let made: number;

  beforeEach(async () => {
    redis = await startRedis();
    admin = new Redis(redis.url);
    client = new QueueClient({ url: redis.url }, { maxRetriesPerRequest: null, socketTimeout: 1_000 });
    client.on('error', () => undefined); // it is cut on purpose
    made = 0;
    client.on('ready', () => made++);
    await vi.waitFor(() => expect(made).toBe(1), { timeout: 10_000 });
  });
  afterEach(async () => {
    client.cut();
    admin.disconnect();
    await redis.stop();
  });

  it('is replaced once, by a lasting one, after it was cut during a command', async () => {
    const response = client.blpop('nothing', 0.5); // sent again on the next connection, and answered before that is abandoned
    await vi.waitFor(async () => expect(await admin.client('LIST')).toContain('cmd=blpop'), { timeout: 10_000 });
    await admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await expect(response).resolves.toBeNull();
    // Longer than the time after which the other connection would be abandoned.
    for (const until = performance.now() + 1_500; performance.now() < until; await sleep(50)) await client.ping();
    expect(made).toBe(2);
  });

  it('is closed after too long without data', async () => {
    const response = client.blpop('nothing', 0);
    await vi.waitFor(() => expect(made).toBeGreaterThan(2), { timeout: 10_000 });
    await admin.rpush('nothing', 'something');
    await expect(response).resolves.toEqual(['nothing', 'something']);
  });
});
