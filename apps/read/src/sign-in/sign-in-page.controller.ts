import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Credentials, html, ownPath, Page, parse, Public, PublicUrl, sendPage, withNext } from '#http';
import { SignInSettings } from './sign-in-settings.ts';
import { nextPath } from '../query-schemas.ts';

export const nextQuery = z.strictObject({ next: nextPath });

/** The page that explains how to sign in. */
@Controller('sign-in')
export class SignInPageController {
  readonly #credentials: Credentials;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;

  constructor(credentials: Credentials, publicUrl: PublicUrl, settings: SignInSettings) {
    this.#credentials = credentials;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  @Public()
  @Page()
  @Get()
  async show(@Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const next = ownPath(parse(nextQuery, query, 'the query').next);
    const { path } = this.#publicUrl;
    const { provider } = this.#settings;
    const caller = await this.#credentials.identify(request);
    const body = html`<main class="note">
      <h1>Sign in</h1>
      ${caller?.via === 'session' ? html`<p>You are signed in. <a href="${path + next}">Go on</a>, or sign in as somebody else.</p>` : null}
      ${provider && html`<p><a class="button" href="${path}${withNext('/sign-in/oidc', next)}">Sign in with ${provider.name}</a></p>`}
      <p class="dim">
        ${provider ? 'Or open' : 'Open'} a sign-in link: the service prints one each time it starts, and who has a token makes one with
        <code>plotline login-link</code>. Each works once, within an hour.
      </p>
    </main>`;
    sendPage(response, 200, { title: 'Sign in', body });
  }
}
