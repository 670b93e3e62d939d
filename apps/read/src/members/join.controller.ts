import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { csrfTokenOf } from '#auth';
import {
  Caller,
  cookieOf,
  Credentials,
  Does,
  type Html,
  html,
  Page,
  parse,
  Public,
  PublicUrl,
  sendFramed,
  sessionSecretOf,
  TakesForm,
  withNext,
} from '#http';
import { Problem } from '#model';
import { readIdentity, Store } from '#store';
import { acceptInvitation, lookAtInvitation, switchWorkspace } from '#workspaces';
import { sessionCookieOf } from '../page/session-cookie.ts';
import { command } from '../page/shell.ts';
import { buttonLink } from '../sign-in/sign-in-texts.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { joinCookie, joinCookieOf } from './join-cookie.ts';

export const joinForm = z.strictObject({});

/**
 * The page of an invitation link. Viewing it does not consume the invitation; a signed-in person
 * accepts it. The secret moves from the URL to a cookie, so neither later URLs nor the sign-in
 * contain it.
 */
@Controller('join')
export class JoinController {
  readonly #store: Store;
  readonly #credentials: Credentials;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;

  constructor(store: Store, credentials: Credentials, publicUrl: PublicUrl, settings: SignInSettings) {
    this.#store = store;
    this.#credentials = credentials;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  @Public()
  @Page()
  @Get(':secret')
  async show(@Param('secret') secret: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const invitation = await lookAtInvitation(this.#store, secret);
    if (!invitation) return this.#broken(response);
    const { base, path } = this.#publicUrl;
    // A cookie set for a host name that is not ours could be sent to that host.
    if (this.#publicUrl.isOurHost(request.headers.host)) response.setHeader('Set-Cookie', joinCookieOf(secret, this.#publicUrl, request));
    // A link instead of a form: the first request of a browser that comes from another site lacks
    // the session cookie.
    await sendFramed(response, 200, {
      title: 'Invitation',
      kind: 'note',
      caller: null,
      content: invited(
        invitation,
        html`${buttonLink(`${path}/join`, 'Continue')}
          <p class="dim">Or accept it on the command line: sign in to ${base}, run this command, and paste the address of this page.</p>
          ${command('plotline members accept')}`,
      ),
    });
  }

  /**
   * The page for a browser that has already opened the link: accepts the invitation, or signs in
   * first.
   */
  @Public()
  @Page()
  @Get()
  async confirm(@Req() request: Request, @Res() response: Response): Promise<void> {
    const secret = cookieOf(request, joinCookie, this.#publicUrl) ?? '';
    const invitation = await lookAtInvitation(this.#store, secret);
    if (!invitation) return this.#broken(response);
    const caller = await this.#credentials.identify(request);
    const session = sessionSecretOf(request);
    const { path } = this.#publicUrl;
    if (caller?.via !== 'session' || session === null || this.#settings.isConfined(caller))
      return sendFramed(response, 200, {
        title: 'Invitation',
        kind: 'note',
        caller: null,
        content: invited(invitation, buttonLink(path + withNext('/sign-in', '/join'), 'Sign in')),
      });
    const { tenantId, personId } = caller;
    const identity = await this.#store.withTenant(tenantId, (scope) => readIdentity(scope, personId), { readOnly: true });
    const form = html`<form method="post" action="${path}/join">
      <input type="hidden" name="csrf_token" value="${csrfTokenOf(session)}" />
      <button class="primary">Join as ${identity?.displayName ?? ''}</button>
    </form>`;
    await sendFramed(response, 200, { title: 'Invitation', kind: 'note', caller, content: invited(invitation, form), form: true });
  }

  @Page()
  @TakesForm()
  @Does('invitation.accept')
  @Post()
  async accept(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    parse(joinForm, body, 'the form');
    const session = sessionSecretOf(request);
    if (caller.via !== 'session' || session === null) throw new Problem('forbidden', 'Sign in with a browser to do this.');
    this.#settings.requireOwnSignIn(caller);
    const { tenantId } = await acceptInvitation(this.#store, caller, cookieOf(request, joinCookie, this.#publicUrl) ?? '');
    const moved = await switchWorkspace(this.#store, caller, session, tenantId);
    response.setHeader('Set-Cookie', [
      sessionCookieOf(moved.session, this.#publicUrl, request),
      joinCookieOf('', this.#publicUrl, request),
    ]);
    response.redirect(303, `${this.#publicUrl.path}/`);
  }

  async #broken(response: Response): Promise<void> {
    const content = html`<h1>This invitation is no longer valid</h1>
      <p>It was used, has expired or was revoked. Ask the person who invited you for a new invitation.</p>`;
    await sendFramed(response, 404, { title: 'Invitation', kind: 'note', caller: null, content });
  }
}

function invited({ workspace, role }: { readonly workspace: string; readonly role: string }, how: Html): Html {
  return html`<h1>Join ${workspace}</h1>
    <p>You are invited as ${role}.</p>
    ${how}`;
}
