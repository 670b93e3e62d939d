import type { PublicUrl } from './public-url.ts';
import type { Carrier } from './request-context.ts';

/** A cookie that this service gives to a browser. */
export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** With 0 it is removed. */
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/**
 * The `Set-Cookie` of a cookie of ours: for the host that was asked only, and out of reach of scripts. At a public address behind TLS its name begins with `__Host-`, which a browser
 * takes from nobody but that host over TLS (RFC 6265bis, 4.1.3.2): no other site of the domain, and nobody on the way, can put one of theirs in its place.
 */
export function setCookie({ name, value, maxAgeSeconds, sameSite }: OwnCookie, publicUrl: PublicUrl, request: Carrier): string {
  const secure = publicUrl.secure ? '; Secure' : '';
  return `${nameFor(name, publicUrl, request)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The value of a cookie of ours that the request carries; null: it carries none under the name that counts where it was sent. */
export function cookieOf(request: Carrier, name: string, publicUrl: PublicUrl): string | null {
  const wanted = nameFor(name, publicUrl, request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim();
  }
  return null;
}

/** Browsers refuse the prefix over plain http, so addresses of this machine and embedded installations do without. */
function nameFor(name: string, publicUrl: PublicUrl, { headers }: Carrier): string {
  return publicUrl.secure && publicUrl.isPublicHost(headers.host) ? `__Host-${name}` : name;
}
