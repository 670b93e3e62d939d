import { insertSignInLink, moveBrowserSession, type Store, type TenantScope, useSignInLink } from '#store';
import { type Caller, creatorOf } from './caller.ts';
import type { Owner } from './first-start.ts';
import { type BrowserSession, type SessionLimits, startSession } from './sessions.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';

const linkSeconds = 3_600;

/**
 * Creates the secret of a one-time sign-in link (`/sign-in/{secret}`), valid for an hour. The link
 * and its session expire with the credential that requests the link.
 */
export async function createSignInLink(store: Pick<Store, 'global'>, owner: Owner & Pick<Caller, 'until' | 'tokenId'>): Promise<string> {
  const secret = newSecret();
  await insertSignInLink(store.global, {
    linkHash: hashSecret(secret),
    tenantId: owner.tenantId,
    personId: owner.personId,
    lifetimeSeconds: linkSeconds,
    creator: creatorOf(owner),
  });
  return secret;
}

/**
 * Consumes a sign-in link and starts a session; null if the link is unknown, used or expired.
 * `before` is called with the link's person before the session starts.
 */
export async function signIn(
  store: Store,
  linkSecret: string,
  { limits, before }: { readonly limits?: SessionLimits; readonly before?: (owner: Owner) => Promise<void> } = {},
): Promise<BrowserSession | null> {
  if (!looksLikeSecret(linkSecret)) return null;
  const link = await useSignInLink(store.global, hashSecret(linkSecret));
  if (!link) return null;
  await before?.(link);
  return startSession(store, link, limits, link.creator);
}

/**
 * Moves a person's session to another workspace; the caller has checked that the person is a
 * member. The session gets a new secret, and the old secret stops working. The session's lifetime
 * does not change. Runs in a transaction of that workspace. Returns null if the session no longer
 * exists.
 */
export async function moveSession({ trx }: TenantScope, oldSecret: string, { tenantId, personId }: Owner): Promise<BrowserSession | null> {
  if (!looksLikeSecret(oldSecret)) return null;
  const secret = newSecret();
  const maxAgeSeconds = await moveBrowserSession(trx, { from: hashSecret(oldSecret), to: hashSecret(secret), personId, tenantId });
  return maxAgeSeconds === null ? null : { secret, maxAgeSeconds };
}
