import { insertBrowserSession, insertSignInLink, type Store, useSignInLink } from '#store';
import { randomBase62 } from './base62.ts';
import type { Owner } from './first-start.ts';
import { hashSecret } from './token.ts';

const linkMinutes = 60;
const sessionDays = 30;

/** A session of a browser: its cookie, and how long it lasts. */
export interface BrowserSession {
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

/** Makes the secret of a sign-in link (`/sign-in/{secret}`) that works once, within an hour. */
export async function createSignInLink(store: Store, { tenantId, personId }: Owner): Promise<string> {
  const secret = randomBase62(30);
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
  if (!/^[0-9A-Za-z]{30}$/.test(linkSecret)) return null;
  const link = await useSignInLink(store.global, hashSecret(linkSecret), new Date());
  if (!link) return null;
  const secret = randomBase62(30);
  const maxAgeSeconds = sessionDays * 86_400;
  await insertBrowserSession(store.global, {
    sessionHash: hashSecret(secret),
    ...link,
    expiresAt: new Date(Date.now() + maxAgeSeconds * 1000),
  });
  return { secret, maxAgeSeconds };
}
