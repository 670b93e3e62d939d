import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** Name of the cookie of a browser that has opened an invitation link. */
export const joinCookie = 'plotline_join';

/** The lifetime is long enough to sign in. */
const seconds = 1_800;

/**
 * Its `Set-Cookie`. Lax, so that the browser sends it when it returns from the sign-in provider. An
 * empty secret removes it.
 */
export function joinCookieOf(secret: string, publicUrl: PublicUrl, request: IncomingMessage): string {
  const maxAgeSeconds = secret === '' ? 0 : seconds;
  return setCookie({ name: joinCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
