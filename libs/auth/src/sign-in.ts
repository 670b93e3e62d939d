import { insertBrowserSession, insertSignInLink, type Store, useSignInLink } from '#store';
import type { Owner } from './first-start.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';

const linkMinutes = 60;
const sessionDays = 30;

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
    expiresAt: new Date(Date.now() + linkMinutes * 60_000),
  });
  return secret;
}

/** Uses up a sign-in link and starts a session that may read; null when the link is unknown, used or expired. */
export async function signIn(store: Store, linkSecret: string): Promise<BrowserSession | null> {
  if (!looksLikeSecret(linkSecret)) return null;
  const link = await useSignInLink(store.global, hashSecret(linkSecret), new Date());
  if (!link) return null;
  const secret = newSecret();
  const maxAgeSeconds = sessionDays * 86_400;
  await insertBrowserSession(store.global, {
    sessionHash: hashSecret(secret),
    ...link,
    expiresAt: new Date(Date.now() + maxAgeSeconds * 1000),
  });
  return { secret, maxAgeSeconds };
}
