import { limits } from '#model';
import { listAccessTokens, readTokenRoute, revokeAccessToken, type Store } from '#store';
import { Authenticator } from './authenticator.ts';
import { givenTokenName, type Owner } from './first-start.ts';
import { hashSecret } from './token.ts';
import { createTokenWithId, noteToken } from './tokens.ts';

/** The operator's token cannot be used; the message explains why and what to do. */
export class OwnerTokenFault extends Error {
  override readonly name = 'OwnerTokenFault';
}

/**
 * Makes a token chosen by the operator valid for the owner, and revokes the token chosen before.
 * Idempotent. `token` has a valid checksum. Throws {@link OwnerTokenFault} if the token was revoked
 * or belongs to another person.
 */
export async function adoptOwnerToken(store: Store, owner: Owner, token: string): Promise<void> {
  const caller = await new Authenticator(store).byToken(token);
  if (caller !== null) {
    if (caller.tenantId === owner.tenantId && caller.personId === owner.personId) return;
    throw new OwnerTokenFault('PLOTLINE_OWNER_TOKEN belongs to another person. Generate a new one.');
  }
  if ((await readTokenRoute(store.global, hashSecret(token))) !== null)
    throw new OwnerTokenFault('PLOTLINE_OWNER_TOKEN was revoked or has expired. Generate a new one.');
  await replaceToken(store, owner, { name: givenTokenName, token });
}

/**
 * Creates a token for the owner, by default a random one. Revokes all other tokens with this name,
 * and everything that was created with them.
 */
export async function replaceToken(
  store: Store,
  owner: Owner,
  { name, token }: { readonly name: string; readonly token?: string },
): Promise<string> {
  const created = await createTokenWithId(store, { ...owner, name, ...(token !== undefined && { chosenToken: token }) });
  const { tenantId, personId } = owner;
  await store.withTenant(tenantId, async (scope) => {
    const all = await listAccessTokens(scope, { personId, after: null, limit: limits.maxTokensPerMember });
    for (const { tokenId } of all.filter((other) => other.name === name && other.tokenId !== created.tokenId)) {
      for (const ended of await revokeAccessToken(scope, tokenId))
        await noteToken(scope, { tenantId, tokenId: ended, actorId: null, via: 'service' }, 'token.revoke');
    }
  });
  return created.token;
}
