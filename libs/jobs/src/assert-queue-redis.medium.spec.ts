import { afterEach, expect, it } from 'vitest';
import { describeWith, type PrivateRedis, startRedis } from '#testing';
import { assertQueueRedis } from './assert-queue-redis.ts';

describeWith(['redis'], 'the check of the Redis that keeps the queue', () => {
  let redis: PrivateRedis | null = null;

  afterEach(async () => {
    await redis?.stop();
    redis = null;
  });

  /** The address including a password, which no message may contain. */
  function withPassword(url: string, password = 'hush-hush'): string {
    const address = new URL(url);
    address.password = password;
    return address.href;
  }

  it('takes one that never throws keys away', async () => {
    redis = await startRedis();
    await expect(assertQueueRedis(redis.url)).resolves.toMatchObject({ reachable: true });
  });

  it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl', 'allkeys-random'])(
    'refuses maxmemory-policy %s, and says what to set',
    async (policy) => {
      redis = await startRedis({ 'maxmemory-policy': policy, requirepass: 'hush-hush' });
      const refused: Error = await assertQueueRedis(withPassword(redis.url)).then(
        () => expect.fail('it was taken'),
        (error: Error) => error,
      );
      expect(refused.message).toContain(`127.0.0.1:${redis.port}`);
      expect(refused.message).toContain(policy);
      expect(refused.message).toContain('Set maxmemory-policy to noeviction');
      expect(refused.message).not.toContain('hush-hush');
    },
  );

  it('says that the password is wrong, without showing it', async () => {
    redis = await startRedis({ requirepass: 'right' });
    await expect(assertQueueRedis(withPassword(redis.url))).rejects.toThrow(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+ cannot keep the queue: (WRONGPASS|NOAUTH)/,
    );
    await expect(assertQueueRedis(withPassword(redis.url))).rejects.not.toThrow(/hush-hush/);
  });

  it('lets the service start while Redis is away', async () => {
    redis = await startRedis();
    await redis.kill();
    await expect(assertQueueRedis(redis.url)).resolves.toMatchObject({ reachable: false });
  });
});
