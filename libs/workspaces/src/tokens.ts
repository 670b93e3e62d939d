import { type Caller, createTokenWithId, endWithin, type Scope } from '#auth';
import { audit, decide, forbidden, requireExperiment, requireExperimentId } from '#experiments';
import { Problem } from '#model';
import {
  type AccessTokenSummary,
  listAccessTokens,
  readTokenOwner,
  revokeAccessToken,
  type Store,
  type TenantScope,
  type TokenPage,
} from '#store';
import { isAbove, isUuid, roleOf } from './standing.ts';

/** The requested properties of a token. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null for the whole workspace. */
  readonly experiments: readonly string[] | null;
  /** Null for never. */
  readonly expiresInDays: number | null;
}

/** A new token. `token` is shown only this once. */
export interface IssuedToken {
  readonly tokenId: string;
  readonly token: string;
  readonly expiresAt: Date | null;
}

const dayMs = 86_400_000;

/**
 * Creates a token for the caller. The token never exceeds the credential that creates it, in
 * scopes, experiments or expiry. Throws `forbidden`, and `experiment-not-found` for an experiment
 * that the caller cannot see.
 */
export async function issueToken(store: Store, caller: Caller, request: TokenRequest): Promise<IssuedToken> {
  const verdict = decide(caller, 'token.manage');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  return issueTokenOf(store, caller, caller.personId, request);
}

/** Like {@link issueToken}, for another member. The caller's permission must already be checked. */
export async function issueTokenOf(store: Store, caller: Caller, personId: string, request: TokenRequest): Promise<IssuedToken> {
  const { tenantId } = caller;
  rejectBeyond(caller, request.scopes);
  const experiments = request.experiments && [...new Set(request.experiments)];
  if (experiments) {
    await store.withTenant(
      tenantId,
      async (scope) => {
        for (const experimentId of experiments) await requireExperiment(scope, caller, requireExperimentId(experimentId));
      },
      { readOnly: true },
    );
  }
  const now = await store.clock.now();
  const expiresAt = endWithin(caller.until, request.expiresInDays === null ? null : new Date(now + request.expiresInDays * dayMs));
  const { name, scopes } = request;
  const expiresInDays = expiresAt && Math.ceil((expiresAt.getTime() - now) / dayMs);
  const details = { scopes, experiments: experiments?.length ?? null, expires_in_days: expiresInDays };
  const made = await createTokenWithId(store, {
    tenantId,
    personId,
    name,
    scopes,
    experiments,
    expiresAt,
    creatorTokenId: caller.tokenId ?? null,
    alongside: (scope, tokenId) => audit(scope, caller, { action: 'token.issue', objectId: tokenId, details }),
  });
  return { ...made, expiresAt };
}

/**
 * Throws `forbidden` for a JWT, which lasts for minutes: it must not create anything that lasts
 * longer.
 */
export function rejectJwt(caller: Caller): void {
  if (caller.via === 'jwt') throw new Problem('forbidden', 'A JWT cannot create anything that outlives it. Use the access token itself.');
}

/**
 * Throws `forbidden` unless the caller may grant these scopes: a credential cannot create a more
 * powerful credential or, if it is a JWT, a longer-lived one.
 */
export function rejectBeyond(caller: Caller, wanted: readonly Scope[]): void {
  rejectJwt(caller);
  const beyond = wanted.filter((scope) => !caller.scopes.has(scope));
  if (beyond.length > 0)
    throw new Problem('forbidden', `Your credential does not permit ${beyond.join(', ')}, so its tokens cannot either.`);
}

/**
 * A page of the valid tokens: the caller's own or, with `everybody`, all tokens of the workspace,
 * for members who may revoke them.
 */
export async function findTokens(
  scope: TenantScope,
  caller: Caller,
  everybody: boolean,
  page: Omit<TokenPage, 'personId'>,
): Promise<AccessTokenSummary[]> {
  const verdict = decide(caller, 'token.manage', everybody ? { tenantId: caller.tenantId, experimentId: null, ownerId: null } : null);
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  return listAccessTokens(scope, { personId: everybody ? null : caller.personId, ...page });
}

/**
 * Revokes the caller's token or, for admins, any member's token. Within five seconds, the token and
 * everything created with it stop working. A token of a member above the caller's role cannot be
 * revoked. Throws `token-not-found` and `forbidden`.
 */
export async function revokeToken(scope: TenantScope, caller: Caller, tokenId: string): Promise<void> {
  const ownerId = isUuid(tokenId) ? await readTokenOwner(scope, tokenId) : null;
  const verdict = ownerId && decide(caller, 'token.manage', { tenantId: caller.tenantId, experimentId: null, ownerId });
  // Only admins may see which tokens others have.
  if (!verdict || (verdict !== 'allowed' && ownerId !== caller.personId)) throw new Problem('token-not-found', 'You have no such token.');
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  const role = ownerId === caller.personId ? null : await roleOf(scope, ownerId);
  if (role && isAbove(role, caller.role)) throw new Problem('forbidden', `The token's holder is ${role}, and you are ${caller.role}.`);
  for (const ended of await revokeAccessToken(scope, tokenId)) await audit(scope, caller, { action: 'token.revoke', objectId: ended });
}
