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
 * An access token to be created. Omitted fields do not restrict it: all scopes, the whole
 * workspace, no expiry.
 */
export interface NewToken extends Partial<Pick<NewAccessToken, 'scopes' | 'experiments' | 'expiresAt' | 'creatorTokenId'>> {
  readonly tenantId: TenantId;
  readonly personId: string;
  readonly name: string;
  /** The token itself, if the operator chose it; by default a new random one. */
  readonly chosenToken?: string;
  /**
   * Runs in the transaction that creates the token, to record who requested it. Absent if the
   * service itself did; then the person may have any number of tokens.
   */
  readonly alongside?: (scope: TenantScope, tokenId: string) => Promise<void>;
}

/**
 * Creates an access token of a person in a workspace. Returned once; only its hash is stored.
 * Throws `bad-request` if the person has too many.
 */
export async function createToken(store: Store, request: NewToken): Promise<string> {
  return (await createTokenWithId(store, request)).token;
}

/** Like {@link createToken}, with the id for listing and revoking it. */
export async function createTokenWithId(store: Store, request: NewToken): Promise<{ token: string; tokenId: string }> {
  const { tenantId, personId, name, scopes = allScopes, experiments = null, expiresAt = null, creatorTokenId = null, alongside } = request;
  const { chosenToken: token = newToken() } = request;
  const tokenId = randomUUID();
  await store.withTenant(tenantId, async (scope) => {
    // One at a time per workspace, so that concurrent requests count each other's tokens. This lock
    // is taken first, as in the code that removes a member and then the member's tokens.
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
  // The route comes last and outside the transaction (it is a global table): without it, the token
  // does not work, and nobody has the token yet.
  await insertTokenRoute(store.global, { tokenHash: hashSecret(token), tenantId, tokenId });
  return { token, tokenId };
}

/**
 * Records changes of tokens that happen without a caller: the first token of an installation and
 * those that its operator creates on the machine (`service`), those issued to an approved program
 * (`device`), and those that a program revoked itself (`token`).
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
    `A member may have at most ${limits.maxTokensPerMember} tokens at a time in one workspace. Revoke some that you do not need.`,
  );
}

function creatorEnded(): Problem {
  return new Problem('unauthenticated', 'The access token of this request was revoked.');
}
