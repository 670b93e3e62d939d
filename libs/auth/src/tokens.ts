import { randomUUID } from 'node:crypto';
import { Problem } from '#model';
import {
  holdAccessToken,
  insertAccessToken,
  insertAuditEntry,
  insertTokenRoute,
  type NewAccessToken,
  type NewAuditEntry,
  type Store,
  type TenantTransaction,
} from '#store';
import { scopes as allScopes } from './caller.ts';
import { hashSecret, newToken } from './token.ts';

/** An access token that is to be made. What is left out is not narrowed: all scopes, the whole workspace, no end. */
export interface TokenWish extends Partial<Pick<NewAccessToken, 'scopes' | 'experiments' | 'expiresAt' | 'makerTokenId'>> {
  readonly tenantId: string;
  readonly personId: string;
  readonly name: string;
  /** Done in the transaction that makes the token: who asked for it is written down. Absent: nobody but the service did. */
  readonly alongside?: (trx: TenantTransaction, tokenId: string) => Promise<void>;
}

/** Makes an access token of a person in a workspace. Returned once; only its hash is stored. */
export async function createToken(store: Store, wish: TokenWish): Promise<string> {
  return (await createTokenWithId(store, wish)).token;
}

/** As {@link createToken}, with the id under which it is listed and revoked. */
export async function createTokenWithId(store: Store, wish: TokenWish): Promise<{ token: string; tokenId: string }> {
  const { tenantId, personId, name, scopes = allScopes, experiments = null, expiresAt = null, makerTokenId = null, alongside } = wish;
  const token = newToken();
  const tokenId = randomUUID();
  await store.withTenant(tenantId, async (trx) => {
    if (makerTokenId !== null && !(await holdAccessToken(trx, tenantId, makerTokenId))) throw makerEnded();
    await insertAccessToken(trx, tenantId, {
      tokenId,
      personId,
      name,
      hint: token.slice(-4),
      scopes,
      experiments,
      expiresAt,
      makerTokenId,
    });
    await (alongside ? alongside(trx, tokenId) : noteToken(trx, { tenantId, tokenId, actorId: null, via: 'service' }, 'token.issue'));
  });
  // The route comes last and outside (it is a global table): without it the token does not work, and nobody has it yet.
  await insertTokenRoute(store.global, { tokenHash: hashSecret(token), tenantId, tokenId });
  return { token, tokenId };
}

/**
 * Writes down what becomes of a token where no caller asks for it: the first one of an installation and those that its operator makes at the machine (`service`),
 * and those that a program was let have (`device`) or gave up (`token`).
 */
export async function noteToken(
  trx: TenantTransaction,
  {
    tenantId,
    tokenId,
    actorId,
    via,
    details = {},
  }: { tenantId: string; tokenId: string; actorId: string | null; via: 'service' | 'device' | 'token'; details?: NewAuditEntry['details'] },
  action: 'token.issue' | 'token.revoke',
): Promise<void> {
  const nothing = { experimentId: null, details, address: null, requestId: null };
  await insertAuditEntry(trx, tenantId, { ...nothing, actorId, via, action, result: 'done', objectId: tokenId });
}

function makerEnded(): Problem {
  return new Problem('unauthenticated', 'The access token of this request was revoked.');
}
