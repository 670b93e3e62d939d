import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { signIn } from '#auth';
import { ClientAddresses, html, ownPath, Page, parse, Public, PublicUrl, sendPage, withNext } from '#http';
import { Store } from '#store';
import { noteSignIn } from '#workspaces';
import { fetchesAhead, isSentByOthers } from '../sign-in/ahead.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { sessionCookieOf } from './session-cookie.ts';
import { nextPath } from '../query-schemas.ts';

const signInQuery = z.strictObject({ next: nextPath });

/**
 * Signs a browser in with a one-time link. Opening it is enough: the service prints the link on the
 * terminal of the person who started it, so it is clicked there and not sent around, and a
 * confirmation button would only cost a click. Only a browser that comes from a page of another
 * site must confirm: the link may be the attacker's, so that the person would continue under the
 * attacker's account without noticing. Automatic requests (prefetching browsers, HEAD requests) do
 * not consume the link; chat previews would, and then the next link is one command away.
 */
@Controller()
export class SignInController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;
  readonly #addresses: ClientAddresses;

  constructor(store: Store, publicUrl: PublicUrl, settings: SignInSettings, addresses: ClientAddresses) {
    this.#addresses = addresses;
    this.#settings = settings;
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Public()
  @Page()
  @Get('sign-in/:secret')
  async open(@Param('secret') secret: string, @Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { next } = parse(signInQuery, query, 'the query');
    // HEAD does not open the link: it does not consume it, and reveals nothing about it.
    if (request.method === 'HEAD') return void response.status(200).end();
    if (fetchesAhead(request)) return void response.status(503).end();
    if (!this.#publicUrl.isOurHost(request.headers.host)) return this.#elsewhere(response);
    if (isSentByOthers(request, this.#publicUrl))
      return this.#ask(response, withNext(`/sign-in/${encodeURIComponent(secret)}`, ownPath(next)));
    const origin = this.#addresses.originOf(request);
    const session = await signIn(this.#store, secret, {
      limits: this.#settings.sessions,
      before: (owner) => noteSignIn(this.#store, { ...owner, via: 'session', origin }, 'session.start', { by: 'link' }),
    });
    if (!session) return usedUp(response);
    response.setHeader('Set-Cookie', sessionCookieOf(session, this.#publicUrl, request));
    // Not the public URL: the cookie is for the host that was opened.
    response
      .status(303)
      .setHeader('Location', this.#publicUrl.path + ownPath(next))
      .end();
  }

  /** The link in the page starts from this site, so following it is enough. */
  #ask(response: Response, there: string): void {
    const body = html`<main class="note">
      <h1>Sign in with this link?</h1>
      <p>
        Another page has sent you here. Go on only if you made the link, or were given it by somebody whom you asked: you will be signed in
        as the person it was made for.
      </p>
      <p><a class="button" href="${this.#publicUrl.path}${there}">Sign in</a></p>
    </main>`;
    sendPage(response, 200, { title: 'Sign in', body });
  }

  /**
   * A cookie set for a host name that is not ours would be useless, and the link would be used up.
   */
  #elsewhere(response: Response): void {
    const body = html`<main class="note">
      <h1>Open this link at another address</h1>
      <p>This service is at ${this.#publicUrl.base}. Open the link there, as it was printed.</p>
    </main>`;
    sendPage(response, 400, { title: 'Sign in', body });
  }
}

function usedUp(response: Response): void {
  const body = html`<main class="note">
    <h1>This sign-in link does not work</h1>
    <p>Each link works once, within an hour. Start the service again, or ask its operator for a new one.</p>
  </main>`;
  sendPage(response, 404, { title: 'Sign in', body });
}
