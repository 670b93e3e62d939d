import { insertSignInLink, moveBrowserSession, type Store, type TenantTransaction, useSignInLink } from '#store';
import { type Caller, makerOf } from './caller.ts';
import type { Owner } from './first-start.ts';
import { type BrowserSession, type SessionLimits, startSession } from './sessions.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';

const linkSeconds = 3_600;

/** Makes the secret of a sign-in link (`/sign-in/{secret}`) that works once, within an hour. Link and session end with the credential that asks for it. */
export async function createSignInLink(store: Store, owner: Owner & Pick<Caller, 'until' | 'tokenId'>): Promise<string> {
  const secret = newSecret();
  await insertSignInLink(store.global, {
    linkHash: hashSecret(secret),
    tenantId: owner.tenantId,
    personId: owner.personId,
    lifetimeSeconds: linkSeconds,
    maker: makerOf(owner),
  });
  return secret;
}

/**
 * Uses up a sign-in link and starts a session; null when the link is unknown, used or expired. `before`: done with whoever the link is for, before there is a session.
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
  return startSession(store, link, limits, link.maker);
}

/**
 * Moves a session of the person to another workspace, which they are known to be a member of. It has a new secret then, and the old one is good for
 * nothing; it lasts as long as before. In a transaction of that workspace. Null: there is no such session any more.
 */
export async function moveSession(
  trx: TenantTransaction,
  oldSecret: string,
  { tenantId, personId }: Owner,
): Promise<BrowserSession | null> {
  if (!looksLikeSecret(oldSecret)) return null;
  const secret = newSecret();
  const maxAgeSeconds = await moveBrowserSession(trx, { from: hashSecret(oldSecret), to: hashSecret(secret), personId, tenantId });
  return maxAgeSeconds === null ? null : { secret, maxAgeSeconds };
}
