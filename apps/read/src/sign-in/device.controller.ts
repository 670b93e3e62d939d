import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { Authenticator, createSignInLink, redeemDevice, revokeOwnToken, scopes, startDevice } from '#auth';
import { Caller, Does, ownPath, parse, Public, PublicUrl, TakesForm } from '#http';
import { Problem } from '#model';
import { Store } from '#store';
import { noteSignIn } from '#workspaces';
import { SignInSettings } from './sign-in-settings.ts';

const scopeList = z
  .string()
  .transform((text) => text.split(' ').filter((name) => name !== ''))
  .pipe(z.array(z.enum(scopes)).min(1));

export const deviceBody = z.strictObject({
  client_id: z.string().max(100).optional().meta({ description: 'RFC 8628 has it; any will do.' }),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'What the person who lets it in is shown, and what the token is called.' }),
  scope: z.string().max(200).default('read upload').meta({ description: 'Names of scopes with a space between them.' }),
});
export const deviceTokenBody = z.strictObject({
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:device_code').optional(),
  device_code: z.string(),
  client_id: z.string().max(100).optional(),
});
export const revokeBody = z.strictObject({ token: z.string(), token_type_hint: z.string().max(100).optional() });
export const linkBody = z.strictObject({ next: z.string().optional().meta({ description: 'A path of this service to go on at.' }) });

/** How programs are signed in (RFC 8628) and out (RFC 7009), and a browser by a program. The bodies may be forms, as those say, or JSON. */
@Controller('api/v1')
export class DeviceController {
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

  @Public()
  @TakesForm()
  @Post('device')
  @HttpCode(200)
  async start(@Body() body: unknown) {
    const { client_id: id, client_name: name, scope } = parse(deviceBody, body);
    const { devices } = this.#settings;
    const request = { clientName: name ?? id ?? 'A program', scopes: [...new Set(parse(scopeList, scope, 'the scope'))] };
    const { deviceCode, userCode } = await startDevice(this.#store, request, devices);
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

  @Public()
  @TakesForm()
  @Post('device/token')
  @HttpCode(200)
  async redeem(@Body() body: unknown) {
    const { token, scopes: given, expiresInSeconds } = await redeemDevice(this.#store, parse(deviceTokenBody, body).device_code);
    return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope: given.join(' ') };
  }

  /** Public: who has the token may end it, whatever it is for. */
  @Public()
  @TakesForm()
  @Post('revoke')
  @HttpCode(200)
  async revoke(@Body() body: unknown) {
    const { token } = parse(revokeBody, body);
    await revokeOwnToken(this.#store, token);
    this.#authenticator.forget(token);
    return {};
  }

  /** A link that signs a browser in as the caller. A session is for everything, so only a credential that is, too, makes one. */
  @Does('sign-in-link.create')
  @Post('sign-in-links')
  async link(@Caller() caller: Caller, @Body() body: unknown) {
    const next = ownPath(parse(linkBody, body).next);
    if (scopes.some((scope) => !caller.scopes.has(scope)))
      throw new Problem(
        'forbidden',
        `A signed-in browser may do all that you may; this token is for ${[...caller.scopes].join(', ')} only.`,
      );
    // A session lasts for weeks, and a JWT for minutes.
    if (caller.via === 'jwt') throw new Problem('forbidden', 'A JWT cannot make what lasts longer. Use the access token itself.');
    await noteSignIn(this.#store, caller, 'sign-in-link.create');
    const secret = await createSignInLink(this.#store, caller);
    const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
    return { url: this.#publicUrl.at(`/sign-in/${secret}${query}`), expires_in: 3_600 };
  }
}
