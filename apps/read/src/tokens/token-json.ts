import { z } from 'zod';
import type { AccessTokenSummary } from '#store';
import type { IssuedToken, TokenRequest } from '#workspaces';

const time = z.iso.datetime();

export const tokenJson = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().meta({ description: 'The last characters of the token.' }),
  person: z.object({ id: z.string(), name: z.string() }),
  scopes: z.array(z.string()),
  experiments: z.array(z.string()).nullable(),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the hour.' }),
});

/** A token, for callers who may see it. Its secret cannot be read back. */
export function toTokenJson(token: AccessTokenSummary): z.input<typeof tokenJson> {
  return {
    id: token.tokenId,
    name: token.name,
    hint: token.hint,
    person: { id: token.personId, name: token.person },
    scopes: [...token.scopes],
    experiments: token.experiments && [...token.experiments],
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
  };
}

export const issuedTokenJson = z.object({
  id: z.string(),
  token: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  experiments: z.array(z.string()).nullable(),
  expires_at: time.nullable(),
});

/** A newly created token, with its secret. */
export function toIssuedJson(request: TokenRequest, issued: IssuedToken): z.input<typeof issuedTokenJson> {
  return {
    id: issued.tokenId,
    token: issued.token,
    name: request.name,
    scopes: [...request.scopes],
    experiments: request.experiments && [...request.experiments],
    expires_at: issued.expiresAt?.toISOString() ?? null,
  };
}
