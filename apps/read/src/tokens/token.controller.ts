import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { type ExchangedToken, redeemDevice, TokenExchange } from '#auth';
import { parse, Public, SpeaksOAuth } from '#http';
import { parseTenantId, Problem } from '#model';
import { Store } from '#store';
import { scopePattern } from '../query-schemas.ts';

/** The grant types of the single token endpoint (RFC 6749, 3.2). */
export const grantTypes = ['urn:ietf:params:oauth:grant-type:device_code', 'urn:ietf:params:oauth:grant-type:token-exchange'] as const;

/** Programs need not register a client id. */
const clientId = z.string().max(100).optional().meta({ description: 'Required by OAuth; any value works.' });
const tokenType = <Name extends string>(name: Name) => `urn:ietf:params:oauth:token-type:${name}` as const;

/** RFC 8628, 3.4. */
const deviceGrant = z.strictObject({
  grant_type: z.literal(grantTypes[0]),
  device_code: z.string().max(200).meta({ description: 'The code of a program that waits for approval.' }),
  client_id: clientId,
});

const common = {
  grant_type: z.literal(grantTypes[1]),
  client_id: clientId,
  subject_token: z.string().min(1).max(8_192).meta({ description: 'What one has.' }),
  requested_token_type: z.enum([tokenType('access_token'), tokenType('jwt')]).optional(),
  scope: z
    .string()
    .max(200)
    .regex(/^[a-z]+( [a-z]+)*$/)
    .meta({ pattern: scopePattern })
    .optional()
    .meta({ description: 'Any of read, upload, manage, admin. Default: all scopes of the subject token.' }),
};

/** RFC 8693, 2.1; the names of the workspace and the service account are extensions. */
const ownTokenGrant = z.strictObject({
  ...common,
  subject_token_type: z.literal(tokenType('access_token')).meta({ description: 'An access token, plt_….' }),
});
const workloadGrant = z.strictObject({
  ...common,
  subject_token_type: z.enum([tokenType('jwt'), tokenType('id_token')]).meta({ description: 'The OIDC token of a workload.' }),
  workspace: z.uuid().meta({ description: 'Workspace of the service account.' }),
  service_account: z.uuid().meta({ description: 'The service account that the workload acts as.' }),
});
const exchangeGrant = z.discriminatedUnion('subject_token_type', [ownTokenGrant, workloadGrant]);

export const grantBody = z.discriminatedUnion('grant_type', [deviceGrant, exchangeGrant]);

export const givenJson = z.object({
  access_token: z
    .string()
    .meta({ description: 'Use it as Authorization: Bearer. For a device code, an access token (plt_…); for an exchange, a JWT.' }),
  issued_token_type: z.literal(tokenType('access_token')).optional().meta({ description: 'Present in the response to an exchange.' }),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'Seconds; at most 600 for a JWT.' }),
  scope: z.string(),
});

/**
 * Exchanges a credential for a token: an approved device code, or another token. The request itself
 * contains the credential, so the route needs no authentication.
 */
@Controller('api/v1/token')
export class TokenController {
  readonly #store: Store;
  readonly #exchange: TokenExchange;

  constructor(store: Store, exchange: TokenExchange) {
    this.#store = store;
    this.#exchange = exchange;
  }

  @Public()
  @SpeaksOAuth([deviceGrant, ownTokenGrant, workloadGrant].flatMap(({ shape }) => Object.keys(shape)))
  @Post()
  @HttpCode(200)
  async give(@Body() body: unknown): Promise<z.input<typeof givenJson>> {
    requireKnownGrant(body);
    const request = parse(grantBody, body);
    return request.grant_type === grantTypes[0] ? this.#ofDevice(request.device_code) : this.#ofToken(request);
  }

  async #ofDevice(deviceCode: string): Promise<z.input<typeof givenJson>> {
    const { token, scopes: given, expiresInSeconds } = await redeemDevice(this.#store, deviceCode);
    return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope: given.join(' ') };
  }

  async #ofToken(request: z.output<typeof exchangeGrant>): Promise<z.input<typeof givenJson>> {
    const wanted = request.scope === undefined ? null : [...new Set(request.scope.split(' '))];
    const made = await this.#exchanged(request, wanted);
    return {
      access_token: made.token,
      issued_token_type: tokenType('access_token'),
      token_type: 'Bearer',
      expires_in: made.seconds,
      scope: made.scopes.join(' '),
    };
  }

  #exchanged(request: z.output<typeof exchangeGrant>, wanted: readonly string[] | null): Promise<ExchangedToken> {
    if (request.subject_token_type === tokenType('access_token')) return this.#exchange.fromAccessToken(request.subject_token, wanted);
    const { subject_token: token, workspace, service_account: accountId } = request;
    return this.#exchange.fromWorkload({ token, tenantId: parseTenantId(workspace.toLowerCase()), accountId }, wanted);
  }
}

/** RFC 6749, 5.2: an unknown grant type has its own error code. */
function requireKnownGrant(body: unknown): void {
  const asked = typeof body === 'object' && body !== null && 'grant_type' in body ? body.grant_type : undefined;
  if (typeof asked === 'string' && !grantTypes.some((known) => known === asked))
    throw new Problem('bad-request', `The grant_type must be one of ${grantTypes.join(', ')}.`, {
      extra: { error: 'unsupported_grant_type' },
    });
}
