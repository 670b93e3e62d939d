import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { beginOidcSignIn, finishOidcSignIn, type OidcProvider, startSession } from '#auth';
import { AddressGate, ClientAddresses, cookieOf, html, ownPath, Page, parse, Public, PublicUrl, sendFramed, withNext } from '#http';
import { Problem, type TenantId } from '#model';
import { Store } from '#store';
import { acceptInvitation, connectIdentity, enterByIdentity, noteSignIn } from '#workspaces';
import { joinCookie, joinCookieOf } from '../members/join-cookie.ts';
import { sessionCookieOf } from '../page/session-cookie.ts';
import { fetchesAhead } from './ahead.ts';
import { attemptCookie, attemptCookieOf, callbackPath } from './attempt-cookie.ts';
import { nextQuery } from './sign-in-page.controller.ts';
import { buttonLink } from './sign-in-texts.ts';
import { SignInSettings } from './sign-in-settings.ts';

export const oidcQuery = nextQuery.extend({
  moved: z.literal('1').optional().meta({ description: 'The browser was redirected here from another address of this service.' }),
});

/** Sign-in through an OpenID provider: redirect and callback. */
@Controller('sign-in/oidc')
export class OidcController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;
  readonly #addresses: ClientAddresses;
  readonly #gate: AddressGate;

  constructor(store: Store, publicUrl: PublicUrl, settings: SignInSettings, addresses: ClientAddresses, gate: AddressGate) {
    this.#gate = gate;
    this.#addresses = addresses;
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  @Public()
  @Page()
  @Get()
  async begin(@Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { next: wanted, moved } = parse(oidcQuery, query, 'the query');
    const next = ownPath(wanted);
    const provider = this.#provider();
    if (request.method === 'HEAD') return void response.status(200).end();
    if (fetchesAhead(request)) return void response.status(503).end();
    // The provider redirects the browser to the public URL; the cookie must be set for that host.
    if (!moved && !this.#publicUrl.isPublicHost(request.headers.host)) {
      const there = withNext('/sign-in/oidc', next);
      return response.redirect(303, this.#publicUrl.at(`${there}${there.includes('?') ? '&' : '?'}moved=1`));
    }
    await this.#gate.admitWaiting('people', request, response);
    const started = await beginOidcSignIn(this.#store, provider, this.#publicUrl.at(callbackPath), { next, owner: null });
    response.setHeader('Set-Cookie', attemptCookieOf(started.secret, started.maxAgeSeconds, this.#publicUrl, request));
    response.redirect(303, started.url.href);
  }

  @Public()
  @Page()
  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const provider = this.#provider();
    if (request.method === 'HEAD') return void response.status(200).end();
    if (fetchesAhead(request)) return void response.status(503).end();
    const result = new URL(this.#publicUrl.at(callbackPath));
    result.search = new URL(request.originalUrl, 'http://here').search;
    const { identity, next, owner } = await finishOidcSignIn(
      this.#store,
      provider,
      result,
      cookieOf(request, attemptCookie, this.#publicUrl),
    );
    const origin = this.#addresses.originOf(request);
    if (owner) {
      await connectIdentity(this.#store, identity, owner);
      await noteSignIn(this.#store, { ...owner, via: 'session', origin }, 'identity.connect');
    }
    // A person without a workspace who comes from an invitation page joins immediately; other
    // people confirm on that page.
    const invitation = next === '/join' ? cookieOf(request, joinCookie, this.#publicUrl) : null;
    let joined = false;
    const join = async (personId: string): Promise<TenantId> => {
      const { tenantId } = await acceptInvitation(this.#store, { personId, via: 'session', origin }, invitation ?? '');
      joined = true;
      return tenantId;
    };
    const { ownWorkspace, workspacesPerPerson: max } = this.#settings;
    const entered = owner ?? (await enterByIdentity(this.#store, identity, { ownWorkspace, max, ...(invitation !== null && { join }) }));
    await noteSignIn(this.#store, { ...entered, via: 'session', origin }, 'session.start', { by: 'provider' });
    const session = await startSession(this.#store, entered, this.#settings.sessions);
    response.setHeader('Set-Cookie', [
      sessionCookieOf(session, this.#publicUrl, request),
      attemptCookieOf('', 0, this.#publicUrl, request),
      ...(joined ? [joinCookieOf('', this.#publicUrl, request)] : []),
    ]);
    const there = this.#publicUrl.path + (joined ? '/' : next);
    // No redirect: the browser came from the provider, and sends a SameSite=Strict cookie only with
    // requests from our own pages.
    await sendFramed(response, 200, {
      title: 'Signed in',
      kind: 'note',
      caller: null,
      refresh: there,
      content: html`<h1>You are signed in</h1>
        ${buttonLink(there, 'Continue to Plotline')}`,
    });
  }

  #provider(): OidcProvider {
    const { provider } = this.#settings;
    if (!provider) throw new Problem('not-found', 'This service uses sign-in links.');
    return provider;
  }
}
