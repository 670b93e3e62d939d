import type { Redis } from 'ioredis';

/**
 * The contents of a Redis key of any type, as text. DUMP would return compressed values. Fails for
 * an unknown type.
 */
export async function valuesOf(redis: Redis, name: string): Promise<string[]> {
  switch (await redis.type(name)) {
    case 'string':
      return [(await redis.get(name)) ?? ''];
    case 'hash':
      return Object.entries(await redis.hgetall(name)).flat();
    case 'list':
      return redis.lrange(name, 0, -1);
    case 'set':
      return redis.smembers(name);
    case 'zset':
      return redis.zrange(name, 0, -1);
    case 'stream':
      return (await redis.xrange(name, '-', '+')).flatMap(([id, fields]) => [id, ...fields]);
    case 'none':
      return []; // The key has expired meanwhile.
    default:
      throw new Error(`unknown type of ${name}`);
  }
}
