import type { Redis } from 'ioredis';

/** Whatever a key of Redis holds, as texts. Read by its type: what DUMP gives is compressed. Fails on a type that nobody looks into. */
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
      return []; // it went meanwhile
    default:
      throw new Error(`nobody looks into ${name}`);
  }
}
