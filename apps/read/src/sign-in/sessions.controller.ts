import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Authenticator, beginOidcSignIn, csrfTokenOf, endSession, endSessionsOf, listSessions } from '#auth';
import { Caller, Does, html, Page, parse, PublicUrl, sendFramed, sessionSecretOf, TakesForm } from '#http';
import { Problem } from '#model';
import { listIdentityIssuers, readIdentity, Store } from '#store';
import { noteSignIn } from '#workspaces';
import { sessionCookieOf } from '../page/session-cookie.ts';
import { attemptCookieOf, callbackPath } from './attempt-cookie.ts';
import { sessionsPage } from './sessions-page.ts';
import { buttonLink } from './sign-in-texts.ts';
import { SignInSettings } from './sign-in-settings.ts';

export const endBody = z.strictObject({
  session_id: z.uuid().optional().meta({ description: 'Default: all sessions except the current one.' }),
});
export const emptyForm = z.strictObject({});

/** The sessions of a person, and sign-out. */
@Controller()
export class SessionsController {
  readonly #store: Store;
  readonly #authenticator: Authenticator;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;

  constructor(store: Store, authenticator: Authenticator, publicUrl: PublicUrl, settings: SignInSettings) {
    this.#store = store;
    this.#authenticator = authenticator;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  @Page()
  @Does('session.read')
  @Get('sessions')
  async show(@Caller() caller: Caller, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { tenantId, personId } = caller;
    const secret = sessionSecretOf(request);
    const identity = await this.#store.withTenant(tenantId, (scope) => readIdentity(scope, personId), { readOnly: true });
    const reader = { person: identity?.displayName ?? '', workspace: identity?.workspace ?? '' };
    const { path } = this.#publicUrl;
    const page = sessionsPage({
      ...reader,
      role: caller.role,
      sessions: await listSessions(this.#store, personId, secret),
      provider: this.#settings.provider?.name ?? null,
      connected: await listIdentityIssuers(this.#store.global, personId),
      mayConnect: mayConnect(caller),
      csrfToken: caller.via === 'session' && secret !== null ? csrfTokenOf(secret) : null,
      basePath: path,
    });
    await sendFramed(response, 200, { title: 'Sessions', kind: 'page', caller, content: page, form: true });
  }

  /** Ends one session, or all other sessions. */
  @Page()
  @TakesForm()
  @Does('session.manage')
  @Post('sessions/end')
  async end(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { session_id: sessionId = null } = parse(endBody, body, 'the form');
    await endSessionsOf(this.#store, caller.personId, sessionId, sessionSecretOf(request));
    await noteSignIn(this.#store, caller, 'session.end', { all: sessionId === null });
    response.redirect(303, `${this.#publicUrl.path}/sessions`);
  }

  @Page()
  @TakesForm()
  @Does('session.manage')
  @Post('sign-out')
  async signOut(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    parse(emptyForm, body, 'the form');
    const secret = sessionSecretOf(request);
    if (secret !== null) {
      await endSession(this.#store, secret);
      this.#authenticator.forget(secret);
      await noteSignIn(this.#store, caller, 'session.end');
    }
    response.setHeader('Set-Cookie', sessionCookieOf({ secret: '', maxAgeSeconds: 0 }, this.#publicUrl, request));
    response.redirect(303, `${this.#publicUrl.path}/sign-in`);
  }

  /** Redirects a signed-in person to the provider, to connect it as another way to sign in. */
  @Page()
  @TakesForm()
  @Does('session.manage')
  @Post('sessions/connect')
  async connect(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    parse(emptyForm, body, 'the form');
    const { provider } = this.#settings;
    if (!provider) throw new Problem('not-found', 'This service uses sign-in links.');
    // Otherwise a restricted token would lead to an unrestricted way to sign in.
    if (caller.via !== 'session') throw new Problem('forbidden', 'Sign in with a browser to do this.');
    if (!mayConnect(caller))
      throw new Problem('forbidden', 'You signed in with a link created by an access token. Use a link that the service itself printed.');
    const { tenantId, personId } = caller;
    const started = await beginOidcSignIn(this.#store, provider, this.#publicUrl.at(callbackPath), {
      next: '/sessions',
      owner: { tenantId, personId },
    });
    response.setHeader('Set-Cookie', attemptCookieOf(started.secret, started.maxAgeSeconds, this.#publicUrl, request));
    // A page, because `form-action 'self'` also applies to redirects after a form.
    await sendFramed(response, 200, {
      title: 'Sign in',
      kind: 'note',
      caller,
      refresh: started.url.href,
      content: html`<h1>Continue at ${provider.name}</h1>
        ${buttonLink(started.url.href, `Sign in with ${provider.name}`)}`,
    });
  }
}

/**
 * Whether the caller may connect a provider. Sign-in through a provider never expires and has all
 * permissions, so a token that expires or is restricted cannot connect a provider.
 */
function mayConnect({ tokenId, until }: Caller): boolean {
  return tokenId === undefined && !until;
}
