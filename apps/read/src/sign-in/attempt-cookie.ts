import type { IncomingMessage } from 'node:http';
import { type PublicUrl, setCookie } from '#http';

/** The path to which the provider redirects browsers. */
export const callbackPath = '/sign-in/oidc/callback';

/** Name of the cookie in a browser that was redirected to the provider. */
export const attemptCookie = 'plotline_oidc';

/**
 * The cookie's `Set-Cookie` header. Lax, because the redirect back comes from the provider's site.
 * A lifetime of 0 seconds removes the cookie.
 */
export function attemptCookieOf(secret: string, maxAgeSeconds: number, publicUrl: PublicUrl, request: IncomingMessage): string {
  return setCookie({ name: attemptCookie, value: secret, maxAgeSeconds, sameSite: 'Lax' }, publicUrl, request);
}
