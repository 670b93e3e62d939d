import { producerClient, type QueueClient } from './queue-client.ts';
import type { RedisAddress } from './redis-address.ts';

/** The result of taking tokens; see `SharedTokens` of #workspaces, which this implements. */
interface Taken {
  readonly granted: number;
  readonly left: number;
  readonly waitMs: number;
}

/** Maximum wait for Redis. Counting requests is not worth a longer wait. */
const timeoutMs = 250;

/**
 * Takes tokens from a bucket that refills evenly. Uses the Redis clock, which all processes share.
 * If the clock goes back, nothing is refilled until it passes its old time. If it jumps ahead, the
 * bucket is at most full.
 *
 * KEYS: the bucket. ARGV: tokens wanted, tokens per minute. Returns {granted, left, milliseconds
 * until there is one}.
 */
const script = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local wanted, perMinute = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(kept[1]) or perMinute, tonumber(kept[2]) or now
tokens = math.min(perMinute, tokens + math.min(math.max(now - at, 0), 60000) * perMinute / 60000)
local granted = math.min(wanted, math.floor(tokens))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], 120000)
local wait = 0
if granted == 0 then wait = math.ceil((1 - tokens) * 60000 / perMinute) end
return {granted, math.floor(tokens), wait}
`;

/** Tokens in Redis, shared by all processes. Rejects if Redis is down or slow. */
export class RedisTokens {
  readonly #client: QueueClient;

  constructor(redis: RedisAddress) {
    this.#client = producerClient(redis);
    this.#client.on('error', () => undefined); // callers that take tokens get the error
    this.#client.defineCommand('takeTokens', { numberOfKeys: 1, lua: script });
  }

  /**
   * Takes at most `wanted` tokens from the bucket `name`, which has the capacity and refill rate
   * `perMinute`.
   */
  async take(name: string, wanted: number, perMinute: number): Promise<Taken> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`Redis did not answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const command = (this.#client as unknown as TokenCommands).takeTokens(`plotline:requests:{${name}}`, wanted, perMinute);
      const [granted, left, waitMs] = await Promise.race([command, late.promise]);
      return { granted, left, waitMs };
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#client.cut();
  }
}

/** The command that the script defines. */
interface TokenCommands {
  takeTokens(key: string, wanted: number, perMinute: number): Promise<[number, number, number]>;
}
