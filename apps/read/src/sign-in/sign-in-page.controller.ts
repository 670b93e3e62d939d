import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Credentials, html, ownPath, Page, parse, Public, PublicUrl, sendFramed, withNext } from '#http';
import { buttonLink, howToGetLink, whatThisIs } from './sign-in-texts.ts';
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
    const known = await this.#credentials.identify(request);
    const caller = known?.via === 'session' ? known : null;
    const content = html`<h1>Sign in to Plotline</h1>
      ${whatThisIs}
      ${
        caller &&
        html`<p>You are already signed in. You can continue, or sign in as someone else.</p>
          ${buttonLink(path + next, 'Continue to Plotline')}`
      }
      ${provider && buttonLink(path + withNext('/sign-in/oidc', next), `Sign in with ${provider.name}`)}
      <h2>${provider ? 'Or use a sign-in link' : 'Use a sign-in link'}</h2>
      ${howToGetLink()}`;
    await sendFramed(response, 200, { title: 'Sign in', kind: 'note', caller, content });
  }
}
