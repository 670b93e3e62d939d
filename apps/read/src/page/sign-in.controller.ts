import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { signIn } from '#auth';
import { ClientAddresses, Credentials, html, ownPath, Page, parse, Public, PublicUrl, sendFramed, withNext } from '#http';
import { Store } from '#store';
import { noteSignIn } from '#workspaces';
import { fetchesAhead, isSentByOthers } from '../sign-in/ahead.ts';
import { buttonLink, howToGetLink } from '../sign-in/sign-in-texts.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { sessionCookieOf } from './session-cookie.ts';
import { nextPath } from '../query-schemas.ts';

const signInQuery = z.strictObject({ next: nextPath });

/**
 * Signs a browser in with a one-time link. Opening it is enough: the service prints the link in the
 * terminal of the person who started it, so it is clicked there, and a confirmation would only cost
 * a click. Only a browser that comes from a page of another site must confirm: the link may be an
 * attacker's, and the person would continue under the attacker's account without noticing.
 * Prefetching browsers and HEAD requests do not consume the link. Previews in chats do; the person
 * then needs another link.
 */
@Controller()
export class SignInController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;
  readonly #addresses: ClientAddresses;
  readonly #credentials: Credentials;

  constructor(store: Store, publicUrl: PublicUrl, settings: SignInSettings, addresses: ClientAddresses, credentials: Credentials) {
    this.#credentials = credentials;
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
    // HEAD does not consume the link, and reveals nothing about it.
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
    if (!session) return this.#usedUp(request, response, ownPath(next));
    response.setHeader('Set-Cookie', sessionCookieOf(session, this.#publicUrl, request));
    // Not the public URL, because the cookie is for the host that was opened.
    response
      .status(303)
      .setHeader('Location', this.#publicUrl.path + ownPath(next))
      .end();
  }

  /**
   * Asks for confirmation. The link in the page starts from this site, so following it is enough.
   */
  async #ask(response: Response, there: string): Promise<void> {
    const content = html`<h1>Sign in with this link?</h1>
      <p>
        Another site sent you here. Continue only if you created this link, or got it from someone you asked: you will be signed in as the
        person it was created for.
      </p>
      ${buttonLink(this.#publicUrl.path + there, 'Sign in')}`;
    await sendFramed(response, 200, { title: 'Sign in', kind: 'note', caller: null, content });
  }

  /**
   * Asks the person to open the link at the public URL. A cookie set for a host name that is not
   * ours would be useless, and the link would be used up.
   */
  async #elsewhere(response: Response): Promise<void> {
    const content = html`<h1>Open this link at another address</h1>
      <p>This service is at ${this.#publicUrl.base}. Open the link there, exactly as it was printed.</p>`;
    await sendFramed(response, 400, { title: 'Sign in', kind: 'note', caller: null, content });
  }

  /**
   * Explains that the link was used or has expired. A signed-in person does not need the link, and
   * can continue.
   */
  async #usedUp(request: Request, response: Response, next: string): Promise<void> {
    const known = await this.#credentials.identify(request);
    const caller = known?.via === 'session' ? known : null;
    const { path } = this.#publicUrl;
    const content = caller
      ? html`<h1>This sign-in link was already used or has expired</h1>
          <p>This browser is already signed in, so you don't need the link.</p>
          ${buttonLink(path + next, 'Continue to Plotline')}`
      : html`<h1>This sign-in link was already used or has expired</h1>
          ${howToGetLink()}
          <p><a href="${path}${withNext('/sign-in', next)}">Other ways to sign in</a></p>`;
    await sendFramed(response, 404, { title: 'Sign in', kind: 'note', caller, content });
  }
}
