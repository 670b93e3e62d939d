import { insertBrowserSession, insertSignInLink, type Store, useSignInLink } from '#store';
import type { Owner } from './first-start.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';

const linkSeconds = 3_600;
const sessionSeconds = 30 * 86_400;

/** A session of a browser: its cookie, and how long it lasts. */
export interface BrowserSession {
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

/** Makes the secret of a sign-in link (`/sign-in/{secret}`) that works once, within an hour. */
export async function createSignInLink(store: Store, { tenantId, personId }: Owner): Promise<string> {
  const secret = newSecret();
  await insertSignInLink(store.global, {
    linkHash: hashSecret(secret),
    tenantId,
    personId,
    lifetimeSeconds: linkSeconds,
  });
  return secret;
}

/** Uses up a sign-in link and starts a session that may read; null when the link is unknown, used or expired. */
export async function signIn(store: Store, linkSecret: string): Promise<BrowserSession | null> {
  if (!looksLikeSecret(linkSecret)) return null;
  const link = await useSignInLink(store.global, hashSecret(linkSecret));
  if (!link) return null;
  const secret = newSecret();
  await insertBrowserSession(store.global, {
    sessionHash: hashSecret(secret),
    ...link,
    lifetimeSeconds: sessionSeconds,
  });
  return { secret, maxAgeSeconds: sessionSeconds };
}
