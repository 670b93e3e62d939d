import type { RedisOptions } from 'ioredis';
import type { Secret } from '#config/secrets';

/** How to reach a Redis server. */
export interface RedisAddress {
  /** Includes the user and password. With sentinels, its host is the name of the primary. */
  readonly url: Secret;
  readonly sentinels?: readonly { readonly host: string; readonly port: number }[];
  readonly sentinelPassword?: Secret | undefined;
  /** Certificates (PEM) to trust for `rediss:`. */
  readonly ca?: string | undefined;
}

/** ioredis options for everything except the URL, which ioredis parses itself. */
export function placeOf({ sentinels = [], ca }: RedisAddress, url: string): RedisOptions {
  const { protocol, hostname } = new URL(url);
  const tls = protocol === 'rediss:' ? { ...(ca !== undefined && { ca }) } : undefined;
  return {
    ...(tls && { tls }),
    ...(sentinels.length > 0 && {
      sentinels: [...sentinels],
      name: decodeURIComponent(hostname),
      ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
      failoverDetector: true, // a primary that was replaced may still be running
    }),
  };
}

/** An address's user and password, as ioredis options. */
export function signInOf(url: string): Pick<RedisOptions, 'username' | 'password'> {
  const { username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** The address to display, without user and password. */
export function describeRedis({ url: secret, sentinels = [] }: RedisAddress): string {
  const url = typeof secret === 'string' ? secret : secret.atStart;
  if (!URL.canParse(url)) return 'Redis';
  const { protocol, host, pathname } = new URL(url);
  const place = `Redis at ${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  return sentinels.length === 0
    ? place
    : `${place} (sentinels ${sentinels.map((sentinel) => `${sentinel.host}:${sentinel.port}`).join(', ')})`;
}
