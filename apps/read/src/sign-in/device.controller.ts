import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Authenticator, createSignInLink, isScope, revokeOwnToken, type Scope, scopes, startDevice } from '#auth';
import { AddressGate, Caller, Does, ownPath, parse, Public, PublicUrl, SpeaksOAuth } from '#http';
import { Problem } from '#model';
import { Store } from '#store';
import { noteSignIn } from '#workspaces';
import { SignInSettings } from './sign-in-settings.ts';
import { nextPath, scopePattern } from '../query-schemas.ts';

export const deviceBody = z.strictObject({
  client_id: z.string().max(100).optional().meta({ description: 'Required by RFC 8628; any value works.' }),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Shown to the person who approves the program, and used as the name of the token.' }),
  scope: z
    .string()
    .max(200)
    .meta({ pattern: scopePattern })
    .default('read upload')
    .meta({ description: 'Names of scopes, separated by spaces.' }),
});
export const revokeBody = z.strictObject({
  token: z.string().max(10_000),
  token_type_hint: z.string().max(100).optional(),
  client_id: z.string().max(100).optional().meta({ description: 'Required by OAuth; any value works.' }),
});
export const linkBody = z.strictObject({ next: nextPath });

/**
 * Signs programs in (RFC 8628) and out (RFC 7009), and lets a program sign a browser in. The bodies
 * may be forms, as in those RFCs, or JSON.
 */
@Controller('api/v1')
export class DeviceController {
  readonly #store: Store;
  readonly #authenticator: Authenticator;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;
  readonly #gate: AddressGate;

  constructor(store: Store, authenticator: Authenticator, publicUrl: PublicUrl, settings: SignInSettings, gate: AddressGate) {
    this.#store = store;
    this.#authenticator = authenticator;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
    this.#gate = gate;
  }

  @Public()
  @SpeaksOAuth(Object.keys(deviceBody.shape))
  @Post('device')
  @HttpCode(200)
  async start(@Body() body: unknown, @Req() request: Request, @Res({ passthrough: true }) response: Response) {
    const { client_id: id, client_name: name, scope } = parse(deviceBody, body);
    const { devices } = this.#settings;
    const program = { clientName: name ?? id ?? 'A program', scopes: scopesIn(scope) };
    await this.#gate.admitWaiting('programs', request, response);
    const { deviceCode, userCode } = await startDevice(this.#store, program, devices);
    const uri = this.#publicUrl.at('/device');
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${userCode}`,
      expires_in: devices.lifetimeSeconds,
      interval: devices.intervalSeconds,
    };
  }

  /** Public, because anyone who has the token may revoke it, regardless of its scope. */
  @Public()
  @SpeaksOAuth(Object.keys(revokeBody.shape))
  @Post('revoke')
  @HttpCode(200)
  async revoke(@Body() body: unknown) {
    const { token } = parse(revokeBody, body);
    await revokeOwnToken(this.#store, token);
    this.#authenticator.forget(token);
    return {};
  }

  /**
   * A link that signs a browser in as the caller. A session has all permissions, so the credential
   * must have them too.
   */
  @Does('sign-in-link.create')
  @Post('sign-in-links')
  async link(@Caller() caller: Caller, @Body() body: unknown) {
    const next = ownPath(parse(linkBody, body).next);
    if (scopes.some((scope) => !caller.scopes.has(scope)))
      throw new Problem(
        'forbidden',
        `A signed-in browser can do everything you can, but this token is limited to ${[...caller.scopes].join(', ')}.`,
      );
    // A session lasts for weeks, a JWT for minutes.
    if (caller.via === 'jwt') throw new Problem('forbidden', 'A JWT cannot create anything that outlives it. Use the access token itself.');
    await noteSignIn(this.#store, caller, 'sign-in-link.create');
    const secret = await createSignInLink(this.#store, caller);
    const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
    return { url: this.#publicUrl.at(`/sign-in/${secret}${query}`), expires_in: 3_600 };
  }
}

/** RFC 6749, 3.3. */
function scopesIn(text: string): Scope[] {
  const names = [...new Set(text.split(' ').filter((name) => name !== ''))];
  if (names.length > 0 && names.every(isScope)) return names;
  throw new Problem('bad-request', `The scope must consist of the words ${scopes.join(', ')}.`, { extra: { error: 'invalid_scope' } });
}
