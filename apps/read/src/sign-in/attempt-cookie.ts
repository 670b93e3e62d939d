import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** The path to which the provider redirects browsers. */
export const callbackPath = '/sign-in/oidc/callback';

/** Name of the cookie of a browser that was redirected to the provider. */
export const attemptCookie = 'plotline_oidc';

/**
 * Its `Set-Cookie`. Lax, because the redirect back comes from the provider's site. 0 seconds
 * removes it.
 */
export function attemptCookieOf(secret: string, maxAgeSeconds: number, publicUrl: PublicUrl, request: IncomingMessage): string {
  return setCookie({ name: attemptCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
