import type { IncomingMessage } from 'node:http';
import type { BrowserSession } from '#auth';
import { type PublicUrl, sessionCookie, setCookie } from '#http';

/** The `Set-Cookie` of a session: never sent from another site. */
export function sessionCookieOf({ secret, maxAgeSeconds }: BrowserSession, publicUrl: PublicUrl, request: IncomingMessage): string {
  return setCookie({ name: sessionCookie, value: secret, maxAgeSeconds, sameSite: 'Strict' }, publicUrl, request);
}
