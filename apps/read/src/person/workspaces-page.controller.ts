import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { csrfTokenOf } from '#auth';
import { Caller, Does, Page, parse, PublicUrl, sendFramed, sessionSecretOf, TakesForm } from '#http';
import { parseTenantId, Problem } from '#model';
import { Store } from '#store';
import { createWorkspace, findWorkspaces, switchWorkspace } from '#workspaces';
import { sessionCookieOf } from '../page/session-cookie.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { sessionBody, workspaceBody } from './workspaces.controller.ts';
import { workspacesPage } from './workspaces-page.ts';

/** The page on which a person switches between workspaces, and creates new workspaces. */
@Controller('workspaces')
export class WorkspacesPageController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;

  constructor(store: Store, publicUrl: PublicUrl, settings: SignInSettings) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  @Page()
  @Does('person.workspaces')
  @Get()
  async show(@Caller() caller: Caller, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { tenantId, personId, via } = caller;
    const secret = sessionSecretOf(request);
    const isConfined = this.#settings.isConfined(caller);
    const { path } = this.#publicUrl;
    const page = workspacesPage({
      workspaces: await findWorkspaces(this.#store, personId),
      current: tenantId,
      canMake: this.#settings.workspacesPerPerson > 0,
      csrfToken: via === 'session' && secret !== null && !isConfined ? csrfTokenOf(secret) : null,
      signInBy: isConfined ? this.#settings.provider!.name : null,
      basePath: path,
    });
    await sendFramed(response, 200, { title: 'Workspaces', kind: 'page', caller, content: page, form: true });
  }

  @Page()
  @TakesForm()
  @Does('session.switch')
  @Post('choose')
  async choose(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#goTo(parse(sessionBody, body, 'the form').workspace, caller, request, response);
  }

  @Page()
  @TakesForm()
  @Does('workspace.create')
  @Post()
  async create(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { name } = parse(workspaceBody, body, 'the form');
    this.#settings.requireOwnSignIn(caller);
    const tenantId = parseTenantId(randomUUID());
    await createWorkspace(this.#store, caller, { tenantId, name, max: this.#settings.workspacesPerPerson });
    await this.#goTo(tenantId, caller, request, response);
  }

  async #goTo(tenantId: string, caller: Caller, request: Request, response: Response): Promise<void> {
    const secret = sessionSecretOf(request);
    if (caller.via !== 'session' || secret === null) throw new Problem('forbidden', 'Sign in with a browser to do this.');
    this.#settings.requireOwnSignIn(caller);
    const { session } = await switchWorkspace(this.#store, caller, secret, tenantId);
    response.setHeader('Set-Cookie', sessionCookieOf(session, this.#publicUrl, request));
    response.redirect(303, `${this.#publicUrl.path}/`);
  }
}
