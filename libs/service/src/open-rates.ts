import type { Config } from '#config';
import { RedisTokens } from '#jobs';
import { RequestRates } from '#workspaces';
import type { Waiting } from './open-store.ts';
import { redisOf } from './redis-of.ts';

/** Counts requests, together with the other processes if Redis is configured and responds. */
export function openRates(config: Config, { lifetime, logger }: Pick<Waiting, 'lifetime' | 'logger'>): RequestRates {
  const redis = redisOf(config);
  if (redis === null) return new RequestRates();
  const shared = new RedisTokens(redis);
  lifetime.onStop(async () => shared.close());
  return new RequestRates({
    shared,
    onError: (error) => logger.warn('requests cannot be counted in Redis; each process counts on its own meanwhile', { err: error }),
  });
}
