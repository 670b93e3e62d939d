import { afterEach, expect, it } from 'vitest';
import { describeWith, type PrivateRedis, startRedis } from '#testing';
import { assertQueueRedis } from './assert-queue-redis.ts';

describeWith(['redis'], "the check of the queue's Redis", () => {
  let redis: PrivateRedis | null = null;

  afterEach(async () => {
    await redis?.stop();
    redis = null;
  });

  /** The address, including a password that no message may contain. */
  function withPassword(url: string, password = 'hush-hush'): string {
    const address = new URL(url);
    address.password = password;
    return address.href;
  }

  it('accepts a Redis that never evicts keys', async () => {
    redis = await startRedis();
    await expect(assertQueueRedis({ url: redis.url })).resolves.toMatchObject({ reachable: true });
  });

  it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl', 'allkeys-random'])(
    'rejects maxmemory-policy %s, and says what to set',
    async (policy) => {
      redis = await startRedis({ 'maxmemory-policy': policy, requirepass: 'hush-hush' });
      const rejection: Error = await assertQueueRedis({ url: withPassword(redis.url) }).then(
        () => expect.fail('it was accepted'),
        (error: Error) => error,
      );
      expect(rejection.message).toContain(`127.0.0.1:${redis.port}`);
      expect(rejection.message).toContain(policy);
      expect(rejection.message).toContain('Set maxmemory-policy to noeviction');
      expect(rejection.message).not.toContain('hush-hush');
    },
  );

  it('reports a wrong password without printing it', async () => {
    redis = await startRedis({ requirepass: 'right' });
    await expect(assertQueueRedis({ url: withPassword(redis.url) })).rejects.toThrow(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+ cannot keep the queue: (WRONGPASS|NOAUTH)/,
    );
    await expect(assertQueueRedis({ url: withPassword(redis.url) })).rejects.not.toThrow(/hush-hush/);
  });

  it('lets the service start while Redis is down', async () => {
    redis = await startRedis();
    await redis.kill();
    await expect(assertQueueRedis({ url: redis.url })).resolves.toMatchObject({ reachable: false });
  });
});
