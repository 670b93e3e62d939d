import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Patch, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Caller, Does, Idempotency, Idempotent, type IdempotentRequest, parse, PublicUrl, sessionSecretOf } from '#http';
import { parseTenantId, Problem } from '#model';
import { Store } from '#store';
import { createWorkspace, findWorkspaces, switchWorkspace } from '#workspaces';
import { sessionCookieOf } from '../page/session-cookie.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';

export const sessionBody = z.strictObject({ workspace: z.string().max(100) });
export const workspaceBody = z.strictObject({ name: z.string().trim().min(1).max(100) });

/**
 * The workspaces of a person. A token belongs to one workspace; a browser session is in one
 * workspace at a time.
 */
@Controller('api/v1')
export class WorkspacesController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #idempotency: Idempotency;
  readonly #settings: SignInSettings;

  constructor(store: Store, publicUrl: PublicUrl, idempotency: Idempotency, settings: SignInSettings) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#idempotency = idempotency;
    this.#settings = settings;
  }

  @Does('person.workspaces')
  @Get('workspaces')
  async list(@Caller() { tenantId: current, personId }: Caller) {
    const workspaces = await findWorkspaces(this.#store, personId);
    return { workspaces: workspaces.map(({ tenantId, name, role }) => ({ id: tenantId, name, role, current: tenantId === current })) };
  }

  @Does('workspace.create')
  @Post('workspaces')
  async create(
    @Caller() caller: Caller,
    @Body() body: unknown,
    @Idempotent() idempotent: IdempotentRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name } = parse(workspaceBody, body);
    this.#settings.requireOwnSignIn(caller);
    // The idempotency key belongs to the caller's workspace, but the new workspace is created in a
    // separate transaction. Repeating a request that was interrupted between the two completes it.
    const made = await this.#idempotency.run(caller.tenantId, idempotent, response, () =>
      Promise.resolve({ status: 201, body: { id: randomUUID(), name, role: 'owner', current: false } }),
    );
    await createWorkspace(this.#store, caller, { tenantId: parseTenantId(made.id), name, max: this.#settings.workspacesPerPerson });
    return made;
  }

  @Does('session.switch')
  @Patch('session')
  async choose(
    @Caller() caller: Caller,
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { workspace: wanted } = parse(sessionBody, body);
    const secret = sessionSecretOf(request);
    if (caller.via !== 'session' || secret === null)
      throw new Problem(
        'forbidden',
        'Only a browser session can switch workspaces. A token is for one workspace: create a token in the other workspace.',
      );
    this.#settings.requireOwnSignIn(caller);
    const { workspace, session } = await switchWorkspace(this.#store, caller, secret, wanted);
    response.setHeader('Set-Cookie', sessionCookieOf(session, this.#publicUrl, request));
    return { workspace: { id: workspace.tenantId, name: workspace.name }, role: workspace.role };
  }
}
