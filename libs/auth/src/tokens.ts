import { randomUUID } from 'node:crypto';
import { limits, Problem, type TenantId } from '#model';
import {
  countAccessTokens,
  holdAccessToken,
  insertAccessToken,
  insertAuditEntry,
  insertTokenRoute,
  lockMembers,
  type NewAccessToken,
  type NewAuditEntry,
  type Store,
  type TenantScope,
} from '#store';
import { scopes as allScopes } from './caller.ts';
import { hashSecret, newToken } from './token.ts';

/**
 * An access token to be created. Omitted fields do not restrict the token: all scopes, the whole
 * workspace, no expiry.
 */
export interface NewToken extends Partial<Pick<NewAccessToken, 'scopes' | 'experiments' | 'expiresAt' | 'creatorTokenId'>> {
  readonly tenantId: TenantId;
  readonly personId: string;
  readonly name: string;
  /** The token itself, if the operator chose it; by default, a new random token. */
  readonly chosenToken?: string;
  /**
   * Runs in the transaction that creates the token, to record who requested it. If absent, the
   * service itself requested the token, and the number of the person's tokens is not limited.
   */
  readonly alongside?: (scope: TenantScope, tokenId: string) => Promise<void>;
}

/**
 * Creates an access token for a person in a workspace. The token is returned only once; the
 * database stores only its hash. Throws `bad-request` if the person has too many.
 */
export async function createToken(store: Store, request: NewToken): Promise<string> {
  return (await createTokenWithId(store, request)).token;
}

/** Like {@link createToken}, but also returns the id for listing and revoking the token. */
export async function createTokenWithId(store: Store, request: NewToken): Promise<{ token: string; tokenId: string }> {
  const { tenantId, personId, name, scopes = allScopes, experiments = null, expiresAt = null, creatorTokenId = null, alongside } = request;
  const { chosenToken: token = newToken() } = request;
  const tokenId = randomUUID();
  await store.withTenant(tenantId, async (scope) => {
    // Creates one token at a time per workspace, so that concurrent requests count each other's
    // tokens. This lock is taken first, as in the code that removes a member and then the member's
    // tokens.
    await lockMembers(scope);
    if (alongside && (await countAccessTokens(scope, personId)) >= limits.maxTokensPerMember) throw tooMany();
    if (creatorTokenId !== null && !(await holdAccessToken(scope, creatorTokenId))) throw creatorEnded();
    await insertAccessToken(scope, {
      tokenId,
      personId,
      name,
      hint: token.slice(-4),
      scopes,
      experiments,
      expiresAt,
      creatorTokenId,
    });
    await (alongside ? alongside(scope, tokenId) : noteToken(scope, { tenantId, tokenId, actorId: null, via: 'service' }, 'token.issue'));
  });
  // The route is inserted last, outside the transaction, because its table is global. Without it,
  // the token does not work, but nobody has the token yet.
  await insertTokenRoute(store.global, { tokenHash: hashSecret(token), tenantId, tokenId });
  return { token, tokenId };
}

/**
 * Records token changes that happen without a caller. `service`: an installation's first token, and
 * tokens that its operator creates on the machine. `device`: tokens issued to an approved program.
 * `token`: tokens that a program revoked itself.
 */
export async function noteToken(
  scope: TenantScope,
  {
    tokenId,
    actorId,
    via,
    details = {},
  }: {
    tenantId: TenantId;
    tokenId: string;
    actorId: string | null;
    via: 'service' | 'device' | 'token';
    details?: NewAuditEntry['details'];
  },
  action: 'token.issue' | 'token.revoke',
): Promise<void> {
  const nothing = { experimentId: null, details, address: null, requestId: null };
  await insertAuditEntry(scope, { ...nothing, actorId, via, action, result: 'done', objectId: tokenId });
}

function tooMany(): Problem {
  return new Problem(
    'bad-request',
    `A member can have at most ${limits.maxTokensPerMember} tokens at a time in one workspace. Revoke some that you do not need.`,
  );
}

function creatorEnded(): Problem {
  return new Problem('unauthenticated', 'The access token of this request was revoked.');
}
