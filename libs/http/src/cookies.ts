import type { PublicUrl } from './public-url.ts';
import type { Carrier } from './request-context.ts';

/** A cookie that this service sets. */
export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** 0 removes the cookie. */
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/**
 * The `Set-Cookie` of our cookies: for the requested host only, and not readable by scripts. At a
 * public URL with TLS, its name starts with `__Host-`, which a browser accepts only from that host
 * over TLS (RFC 6265bis, 4.1.3.2). No other site in the domain, and no man in the middle, can
 * replace it.
 */
export function setCookie({ name, value, maxAgeSeconds, sameSite }: OwnCookie, publicUrl: PublicUrl, request: Carrier): string {
  const secure = publicUrl.secure ? '; Secure' : '';
  return `${nameFor(name, publicUrl, request)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/**
 * The value of one of our cookies in the request; null if the request has none under the name that
 * is valid for its host.
 */
export function cookieOf(request: Carrier, name: string, publicUrl: PublicUrl): string | null {
  const wanted = nameFor(name, publicUrl, request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim();
  }
  return null;
}

/**
 * Our cookies in the request whose names start with `prefix`, in the order of the browser, which
 * sends older ones first.
 */
export function cookiesOf(request: Carrier, prefix: string, publicUrl: PublicUrl): { readonly name: string; readonly value: string }[] {
  const start = nameFor(prefix, publicUrl, request);
  return (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    return name.startsWith(start) ? [{ name: prefix + name.slice(start.length), value: pair.slice(at + 1).trim() }] : [];
  });
}

/**
 * Browsers reject the prefix over plain http, so loopback addresses and embedded installations do
 * not use it.
 */
function nameFor(name: string, publicUrl: PublicUrl, { headers }: Carrier): string {
  return publicUrl.secure && publicUrl.isPublicHost(headers.host) ? `__Host-${name}` : name;
}
