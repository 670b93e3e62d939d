import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** Name of the cookie in a browser that has opened an invitation link. */
export const joinCookie = 'plotline_join';

/** The lifetime is long enough to sign in. */
const seconds = 1_800;

/**
 * The cookie's `Set-Cookie` header. Lax, so that the browser sends it when it returns from the
 * sign-in provider. An empty secret removes the cookie.
 */
export function joinCookieOf(secret: string, publicUrl: PublicUrl, request: IncomingMessage): string {
  const maxAgeSeconds = secret === '' ? 0 : seconds;
  return setCookie({ name: joinCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
