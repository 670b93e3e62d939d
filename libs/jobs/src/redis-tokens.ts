import { producerClient, type QueueClient } from './queue-client.ts';

/** What came of asking for tokens; see `SharedTokens` of #workspaces, which this is. */
interface Taken {
  readonly granted: number;
  readonly left: number;
  readonly waitMs: number;
}

/** Nobody waits longer for Redis than this: counting requests is not worth more. */
const timeoutMs = 250;

/**
 * Takes tokens of a bucket that is filled evenly. The clock is that of Redis, one for all processes; when it goes back, nothing is filled until it
 * has passed its old time by as much, and when it jumps ahead, the bucket is full at most.
 *
 * KEYS: the bucket. ARGV: tokens wanted, tokens a minute. Returns {granted, left, milliseconds until there is one}.
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

/** Tokens that all processes share, in Redis. Rejects when Redis is away, or slow. */
export class RedisTokens {
  readonly #client: QueueClient;

  constructor(redisUrl: string) {
    this.#client = producerClient(redisUrl);
    this.#client.on('error', () => undefined); // who takes tokens meanwhile hears of it
    this.#client.defineCommand('takeTokens', { numberOfKeys: 1, lua: script });
  }

  /** Takes at most `wanted` tokens of the bucket `name`, which holds and gets `perMinute`. */
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
