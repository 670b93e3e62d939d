import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** Where the provider sends browsers back to. */
export const callbackPath = '/sign-in/oidc/callback';

/** Name of the cookie of a browser that is at the provider. */
export const attemptCookie = 'plotline_oidc';

/** Its `Set-Cookie`. Lax: the way back begins at the provider's site. With 0 seconds it is removed. */
export function attemptCookieOf(secret: string, maxAgeSeconds: number, publicUrl: PublicUrl, request: IncomingMessage): string {
  return setCookie({ name: attemptCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
