import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { scopes } from '#auth';
import { cutPage, readPage, uuidAfter } from '#experiments';
import { Caller, Does, parse } from '#http';
import { Store } from '#store';
import { findTokens, issueToken, revokeToken, type TokenRequest } from '#workspaces';
import { paging } from '../query-schemas.ts';
import { toIssuedJson, toTokenJson } from './token-json.ts';

export const tokenBody = z.strictObject({
  name: z.string().min(1).max(100).meta({ description: 'A note that distinguishes the token.' }),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).default(['read', 'upload']).meta({
    description: 'read: read; upload: create, upload, rename; manage: delete, share, create tokens; admin: manage the workspace.',
  }),
  experiments: z
    .array(z.string().max(100))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Limit the token to these experiments. Default: all experiments of the workspace.' }),
  expires_in_days: z.int().min(1).max(3_650).nullable().default(365).meta({
    description: 'Null means that the token does not expire. The expiry is never later than the expiry of the token that creates it.',
  }),
});
export const tokensQuery = z.strictObject({
  ...paging,
  everybody: z.enum(['true', 'false']).optional().meta({ description: 'List the tokens of all members. Only for admins.' }),
});

/** The token that a body requests. */
export function tokenRequest(body: unknown): TokenRequest {
  const { name, scopes: wanted, experiments = null, expires_in_days: expiresInDays } = parse(tokenBody, body);
  return { name, scopes: wanted, experiments, expiresInDays };
}

/** Access tokens: create, list, revoke. */
@Controller('api/v1/tokens')
export class TokensController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Accepts no `Idempotency-Key`: the response contains a secret, and is not stored. */
  @Does('token.manage')
  @Post()
  async issue(@Caller() caller: Caller, @Body() body: unknown) {
    const request = tokenRequest(body);
    return toIssuedJson(request, await issueToken(this.#store, caller, request));
  }

  @Does('token.manage')
  @Get()
  async list(@Caller() caller: Caller, @Query() query: unknown) {
    const { everybody, page_size, page_token } = parse(tokensQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['tokens', everybody === 'true', caller.personId]);
    const tokens = await this.#store.withTenant(
      caller.tenantId,
      (scope) => findTokens(scope, caller, everybody === 'true', { after: uuidAfter(page), limit: page.size + 1 }),
      { readOnly: true },
    );
    const { items, nextPageToken } = cutPage(tokens, page, ({ tokenId }) => tokenId.replaceAll('-', ''));
    return { tokens: items.map(toTokenJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('token.manage')
  @Delete(':tokenId')
  @HttpCode(204)
  async revoke(@Caller() caller: Caller, @Param('tokenId') tokenId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => revokeToken(scope, caller, tokenId));
  }
}
