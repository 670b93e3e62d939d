import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '#model';
import { insertOidcAttempt, type OidcAttempt, type Store, takeOidcAttempt } from '#store';
import { hashSecret, looksLikeSecret, newSecret } from '../token.ts';
import type { OidcChecks, OidcIdentity, OidcProvider } from './oidc-provider.ts';

/** How long somebody may take at the provider. */
const attemptSeconds = 600;
/** Browsers that are on their way at once, at most; a guess with much room. */
const maxAttempts = 100_000;

/** A browser that is sent to the provider: `secret` is for a cookie of its own, and must come back with the answer. */
export interface BegunSignIn {
  readonly url: URL;
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

/** Sends a browser to the provider. Throws `provider-unavailable` and, when far too many are under way, `rate-limited`. */
export async function beginOidcSignIn(
  store: Store,
  provider: OidcProvider,
  redirectUri: string,
  attempt: OidcAttempt,
): Promise<BegunSignIn> {
  const secret = newSecret();
  const url = await provider.authorizationUrl(redirectUri, checksOf(secret), await store.clock.now());
  const noted = { ...attempt, attemptHash: hashSecret(secret), lifetimeSeconds: attemptSeconds, atMost: maxAttempts };
  if (!(await insertOidcAttempt(store.global, noted)))
    throw new Problem('rate-limited', 'Too many people are signing in at once. Try again in a few minutes.', { retryAfterSeconds: 60 });
  return { url, secret, maxAgeSeconds: attemptSeconds };
}

/**
 * Takes a browser back from the provider: who it is, and what it had come for. Each attempt ends with the first answer that has its state, good or
 * not. Throws `sign-in-failed` and `provider-unavailable`.
 */
export async function finishOidcSignIn(
  store: Store,
  provider: OidcProvider,
  answer: URL,
  secret: string | null,
): Promise<OidcAttempt & { readonly identity: OidcIdentity }> {
  const checks = secret !== null && looksLikeSecret(secret) ? checksOf(secret) : null;
  // Before anything is used up: an answer that somebody made up leaves the attempt of the browser as it is.
  if (secret === null || !checks || !isSame(answer.searchParams.get('state'), checks.state)) throw staleAttempt();
  const attempt = await takeOidcAttempt(store.global, hashSecret(secret));
  if (!attempt) throw staleAttempt();
  return { ...attempt, identity: await provider.identify(answer, checks, await store.clock.now()) };
}

/** Each is as good as random to whoever does not have the secret, and none says anything of another. */
function checksOf(secret: string): OidcChecks {
  const derive = (what: string): string => createHmac('sha256', secret).update(what).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}

function isSame(given: string | null, expected: string): boolean {
  return given !== null && timingSafeEqual(hashSecret(given), hashSecret(expected));
}

function staleAttempt(): Problem {
  return new Problem(
    'sign-in-failed',
    'This response of the provider belongs to another browser, was already used, or has expired. Start again from the sign-in page.',
  );
}
