import { readTokenOwner, readTokenRoute, revokeAccessToken, type Store } from '#store';
import { hashSecret, looksLikeToken } from './token.ts';
import { noteToken } from './tokens.ts';

/**
 * Revokes a token for anyone who has it (RFC 7009): within five seconds, neither the token nor
 * anything created with it works. Does nothing for unknown, expired or revoked tokens.
 */
export async function revokeOwnToken(store: Store, token: string): Promise<void> {
  const route = looksLikeToken(token) ? await readTokenRoute(store.global, hashSecret(token)) : null;
  if (!route) return;
  const { tenantId, tokenId } = route;
  await store.withTenant(tenantId, async (scope) => {
    const actorId = await readTokenOwner(scope, tokenId);
    for (const ended of await revokeAccessToken(scope, tokenId))
      await noteToken(scope, { tenantId, tokenId: ended, actorId, via: 'token' }, 'token.revoke');
  });
}
