import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { csrfTokenOf, decideDevice, lookAtDevice } from '#auth';
import {
  Caller,
  Credentials,
  Does,
  type Html,
  Page,
  parse,
  Public,
  PublicUrl,
  sendFramed,
  sessionSecretOf,
  TakesForm,
  withNext,
} from '#http';
import { readIdentity, Store } from '#store';
import { askForCode, confirmDevice, deviceDecided, unknownCode } from './device-pages.ts';
import { isSentByOthers } from './ahead.ts';

export const devicePageQuery = z.strictObject({ user_code: z.string().max(100).optional() });
export const devicePageBody = z.strictObject({ user_code: z.string().max(100), decision: z.enum(['allow', 'refuse']) });

/** The page on which a person approves a program, with the code that the program shows. */
@Controller('device')
export class DevicePageController {
  readonly #store: Store;
  readonly #credentials: Credentials;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, credentials: Credentials, publicUrl: PublicUrl) {
    this.#store = store;
    this.#credentials = credentials;
    this.#publicUrl = publicUrl;
  }

  /** Public, so that a person who is not signed in is sent to the sign-in page and back. */
  @Public()
  @Page()
  @Get()
  async show(@Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { user_code: typed = '' } = parse(devicePageQuery, query, 'the query');
    const caller = await this.#credentials.identify(request);
    const secret = sessionSecretOf(request);
    const { path } = this.#publicUrl;
    if (caller?.via !== 'session' || secret === null) {
      // Browsers do not send the cookie after a link on another site; a second request from this
      // page does.
      if (isSentByOthers(request, this.#publicUrl)) return this.#send(response, null, askForCode(path, typed), true);
      const here = typed === '' ? '/device' : `/device?user_code=${encodeURIComponent(typed)}`;
      return response.redirect(303, path + withNext('/sign-in', here));
    }
    if (typed === '') return this.#send(response, caller, askForCode(path, ''));
    const asked = await lookAtDevice(this.#store, caller.personId, typed);
    if (!asked) return this.#send(response, caller, unknownCode(path), false, 404);
    const workspace = await this.#workspaceOf(caller);
    const page = confirmDevice({ ...asked, workspace, role: caller.role, csrfToken: csrfTokenOf(secret), basePath: path });
    return this.#send(response, caller, page);
  }

  @Page()
  @TakesForm()
  @Does('device.approve')
  @Post()
  async decide(@Caller() caller: Caller, @Body() body: unknown, @Res() response: Response): Promise<void> {
    const { user_code: typed, decision } = parse(devicePageBody, body, 'the form');
    const allowed = decision === 'allow';
    const decided = await decideDevice(this.#store, caller, typed, allowed);
    const { path } = this.#publicUrl;
    if (!decided) return this.#send(response, caller, unknownCode(path), false, 404);
    return this.#send(response, caller, deviceDecided(path, allowed));
  }

  async #send(response: Response, caller: Caller | null, content: Html, refresh = false, status = 200): Promise<void> {
    await sendFramed(response, status, { title: 'Authorize a device', kind: 'note', caller, content, form: true, refresh });
  }

  async #workspaceOf({ tenantId, personId }: Caller): Promise<string> {
    const identity = await this.#store.withTenant(tenantId, (scope) => readIdentity(scope, personId), { readOnly: true });
    return identity?.workspace ?? '';
  }
}
