import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** Name of the cookie of a browser that has opened the link of an invitation. */
export const joinCookie = 'plotline_join';

/** As long as somebody takes to sign in. */
const seconds = 1_800;

/** Its `Set-Cookie`. Lax: it is there when the browser comes back from the sign-in provider. With an empty secret it is removed. */
export function joinCookieOf(secret: string, publicUrl: PublicUrl, request: IncomingMessage): string {
  const maxAgeSeconds = secret === '' ? 0 : seconds;
  return setCookie({ name: joinCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
