import { randomUUID } from 'node:crypto';
import { insertAccessToken, insertTokenRoute, type Store } from '#store';
import { hashSecret, newToken } from './token.ts';

/** Makes an access token of a person in a workspace. Returned once; only its hash is stored. `expiresAt` null: it does not expire. */
export async function createToken(
  store: Store,
  { tenantId, personId, name, expiresAt = null }: { tenantId: string; personId: string; name: string; expiresAt?: Date | null },
): Promise<string> {
  const token = newToken();
  const tokenId = randomUUID();
  await store.withTenant(tenantId, (trx) =>
    insertAccessToken(trx, tenantId, { tokenId, personId, name, hint: token.slice(-4), expiresAt }),
  );
  // The route comes last and outside (it is a global table): without it the token does not work, and nobody has it yet.
  await insertTokenRoute(store.global, { tokenHash: hashSecret(token), tenantId, tokenId });
  return token;
}
