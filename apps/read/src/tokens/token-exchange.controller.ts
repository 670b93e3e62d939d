import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { type ExchangedToken, TokenExchange } from '#auth';
import { parse, Public, TakesForm } from '#http';

const tokenType = <Name extends string>(name: Name) => `urn:ietf:params:oauth:token-type:${name}` as const;

const common = {
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:token-exchange'),
  subject_token: z.string().min(1).max(8_192).meta({ description: 'What one has.' }),
  requested_token_type: z.enum([tokenType('access_token'), tokenType('jwt')]).optional(),
  scope: z
    .string()
    .regex(/^[a-z]+( [a-z]+)*$/)
    .optional()
    .meta({ description: 'Words of read, upload, manage, admin; absent: all that the subject token is for.' }),
};

/** RFC 8693, 2.1; the names of the workspace and the service account are ours. */
export const exchangeBody = z.discriminatedUnion('subject_token_type', [
  z.strictObject({ ...common, subject_token_type: z.literal(tokenType('access_token')).meta({ description: 'An access token, plt_….' }) }),
  z.strictObject({
    ...common,
    subject_token_type: z.enum([tokenType('jwt'), tokenType('id_token')]).meta({ description: 'The OIDC token of a workload.' }),
    workspace: z.uuid().meta({ description: 'Of the service account.' }),
    service_account: z.uuid().meta({ description: 'That the workload is to act as.' }),
  }),
]);

export const exchangedJson = z.object({
  access_token: z.string().meta({ description: 'A JWT, for Authorization: Bearer.' }),
  issued_token_type: z.literal(tokenType('access_token')),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'Seconds, at most 600.' }),
  scope: z.string(),
});

/** A short JWT for what one has. What is sent is the credential, so nothing else is asked for. */
@Controller('api/v1/token')
export class TokenExchangeController {
  readonly #exchange: TokenExchange;

  constructor(exchange: TokenExchange) {
    this.#exchange = exchange;
  }

  @Public()
  @TakesForm()
  @Post()
  @HttpCode(200)
  async exchange(@Body() body: unknown): Promise<z.input<typeof exchangedJson>> {
    const request = parse(exchangeBody, body);
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

  #exchanged(request: z.output<typeof exchangeBody>, wanted: readonly string[] | null): Promise<ExchangedToken> {
    if (request.subject_token_type === tokenType('access_token')) return this.#exchange.fromAccessToken(request.subject_token, wanted);
    const { subject_token: token, workspace: tenantId, service_account: accountId } = request;
    return this.#exchange.fromWorkload({ token, tenantId, accountId }, wanted);
  }
}
