import type { IncomingMessage } from 'node:http';
import type { BrowserSession } from '#auth';
import { type PublicUrl, sessionCookie, setCookie } from '#http';

/** The `Set-Cookie` of a session: not sent with requests from other sites. */
export function sessionCookieOf({ secret, maxAgeSeconds }: BrowserSession, publicUrl: PublicUrl, request: IncomingMessage): string {
  return setCookie({ name: sessionCookie, value: secret, maxAgeSeconds, sameSite: 'Strict' }, publicUrl, request);
}
