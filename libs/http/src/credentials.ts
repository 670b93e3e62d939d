import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Authenticator, type Caller } from '#auth';
import { PublicUrl } from './public-url.ts';
import { contextOf } from './request-context.ts';

/** Name of the cookie of a signed-in browser. */
export const sessionCookie = 'plotline_session';

/** Finds out who sends a request, from the token or the cookie that it carries. */
@Injectable()
export class Credentials {
  readonly #authenticator: Authenticator;
  readonly #publicUrl: PublicUrl;

  constructor(authenticator: Authenticator, publicUrl: PublicUrl) {
    this.#authenticator = authenticator;
    this.#publicUrl = publicUrl;
  }

  /** Who sends the request, looked up once; null without credentials that hold. */
  async identify(request: IncomingMessage): Promise<Caller | null> {
    const context = contextOf(request);
    if (context.caller === undefined) context.caller = await this.#look(request);
    return context.caller;
  }

  /** For answers that take long: whether the credentials would still let the request in. */
  async stillHold(request: IncomingMessage): Promise<boolean> {
    return (await this.#look(request)) !== null;
  }

  async #look(request: IncomingMessage): Promise<Caller | null> {
    const { authorization } = request.headers;
    // A bearer token, when there is one, decides alone: a wrong token beside a good cookie is a mistake that its sender should see.
    if (authorization !== undefined) {
      const token = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*) *$/i.exec(authorization)?.[1]; // RFC 6750, 2.1
      return token === undefined ? null : this.#authenticator.byToken(token);
    }
    const session = cookieOf(request, sessionCookie);
    // A cookie counts only where browsers were sent to: a page of another name that was made to point here (DNS rebinding) gets nothing.
    if (session === null || !this.#publicUrl.isOurHost(request.headers.host) || crossSite(request)) return null;
    return this.#authenticator.bySession(session);
  }
}

/** Requests that another site's page makes in the background. Following a link from there is a navigation, which may carry the cookie. */
function crossSite(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return request.headers['sec-fetch-mode'] !== 'navigate' || request.method !== 'GET';
}

function cookieOf(request: IncomingMessage, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
