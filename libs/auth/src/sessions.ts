import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  endBrowserSession,
  endBrowserSessionsOf,
  insertBrowserSession,
  listBrowserSessions,
  type Creator,
  noCreator,
  type SessionSummary,
  type Store,
} from '#store';
import type { Owner } from './first-start.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';

/** A browser session: its cookie, and its lifetime. */
export interface BrowserSession {
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

/** When sessions end: `lifetimeSeconds` after their start, or after `idleSeconds` without use. */
export interface SessionLimits {
  readonly lifetimeSeconds: number;
  readonly idleSeconds: number;
}

const usualSessionLimits: SessionLimits = { lifetimeSeconds: 30 * 86_400, idleSeconds: 7 * 86_400 };

/**
 * Starts a session for a person in a workspace. Stores only the hash of its secret. The session
 * expires with the credential that created it, or earlier by its own limits.
 */
export async function startSession(
  store: Store,
  { tenantId, personId }: Owner,
  { lifetimeSeconds, idleSeconds }: SessionLimits = usualSessionLimits,
  creator: Creator = noCreator,
): Promise<BrowserSession> {
  const secret = newSecret();
  const sessionHash = hashSecret(secret);
  await insertBrowserSession(store.global, { sessionHash, tenantId, personId, lifetimeSeconds, idleSeconds, creator });
  const { until } = creator;
  const secondsLeft = until === null ? lifetimeSeconds : Math.max(0, Math.floor((until.getTime() - (await store.clock.now())) / 1_000));
  return { secret, maxAgeSeconds: Math.min(lifetimeSeconds, secondsLeft) };
}

/** Signs out a browser: within five seconds, its cookie stops working. */
export async function endSession(store: Store, secret: string): Promise<void> {
  await endBrowserSession(store.global, hashSecret(secret));
}

/** A person's active sessions. `secret`: the session secret of the current browser. */
export async function listSessions(store: Store, personId: string, secret: string | null): Promise<SessionSummary[]> {
  return listBrowserSessions(store.global, personId, secret === null ? null : hashSecret(secret));
}

/** Ends one of a person's sessions or, for null, all except the current one. */
export async function endSessionsOf(store: Store, personId: string, sessionId: string | null, secret: string | null): Promise<void> {
  const except = sessionId === null && secret !== null ? hashSecret(secret) : null;
  await endBrowserSessionsOf(store.global, personId, { sessionId, except });
}

/**
 * The token in the forms of a signed-in browser. It is derived from the cookie, which no script can
 * read and no other site knows, and does not reveal the cookie.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('form').digest('base64url');
}

/** Whether a form comes from a page that was created for this session. */
export function isCsrfToken(given: unknown, sessionSecret: string | null): boolean {
  if (typeof given !== 'string' || sessionSecret === null || !looksLikeSecret(sessionSecret)) return false;
  return timingSafeEqual(hashSecret(given), hashSecret(csrfTokenOf(sessionSecret)));
}
