import { readFileSync } from 'node:fs';
import { type Config, ConfigFault, secretOf } from '#config';
import type { RedisAddress } from '#jobs';

/**
 * The configured Redis; null if there is none. Throws `ConfigFault` if its certificates cannot be
 * read.
 */
export function redisOf(config: Config): RedisAddress | null {
  const url = secretOf(config, 'PLOTLINE_REDIS_URL');
  if (url === undefined) return null;
  const { redisSentinels: sentinels, redisCaFile } = config.storage;
  const sentinelPassword = secretOf(config, 'PLOTLINE_REDIS_SENTINEL_PASSWORD');
  return { url, sentinels, sentinelPassword, ca: redisCaFile === undefined ? undefined : certificatesIn(redisCaFile) };
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigFault([
      `PLOTLINE_REDIS_CA_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
    ]);
  }
}
