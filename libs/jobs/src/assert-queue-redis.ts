import { findLuaFlaw } from './lua-flaw.ts';
import { describeRedis, type RedisAddress } from './redis-address.ts';

/**
 * Throws if this Redis cannot store the queue or rejects the password. The message explains what to
 * set, and contains no user or password. A Redis that does not respond is accepted: uploads work
 * without it, and its settings are checked once it is back. `warning` is a message for the
 * operator.
 */
export async function assertQueueRedis(redis: RedisAddress): Promise<{ readonly reachable: boolean; readonly warning: string | null }> {
  const [{ QueueClient }, { findQueueRedisFault }] = await Promise.all([import('./queue-client.ts'), import('./queue-redis-fault.ts')]);
  const client = new QueueClient(redis, {
    lazyConnect: true,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    commandTimeout: 5_000,
    maxRetriesPerRequest: 0,
  });
  let rejection: Error | null = null;
  client.on('error', (error) => {
    if (error.name === 'ReplyError') rejection = error;
  });
  let fault: string | null;
  let warning: string | null;
  try {
    await client.connect();
    fault = await findQueueRedisFault(client);
    warning = findLuaFlaw(await client.info('server'));
  } catch (error) {
    rejection ??= error instanceof Error && error.name === 'ReplyError' ? error : null;
    if (!rejection) return { reachable: false, warning: null };
    throw new Error(`${describeRedis(redis)} cannot keep the queue: ${rejection.message}`, { cause: error });
  } finally {
    client.cut();
  }
  if (fault) throw new Error(`${describeRedis(redis)} cannot keep the queue: ${fault}`);
  return { reachable: true, warning };
}
