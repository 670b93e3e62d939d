import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '#model';
import { insertOidcAttempt, type OidcAttempt, type Store, takeOidcAttempt } from '#store';
import { hashSecret, looksLikeSecret, newSecret } from '../token.ts';
import type { OidcChecks, OidcIdentity, OidcProvider } from './oidc-provider.ts';

/** How long a person may spend at the provider. */
const attemptSeconds = 600;
/** Maximum number of concurrent attempts; a guess with a large margin. */
const maxAttempts = 100_000;

/**
 * A browser that is redirected to the provider: `secret` is stored in a separate cookie and must be
 * sent with the response.
 */
export interface BegunSignIn {
  readonly url: URL;
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

/**
 * Starts a sign-in at the provider. Throws `provider-unavailable` and, if far too many sign-ins are
 * in progress, `rate-limited`.
 */
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
 * Handles a browser that returns from the provider: identifies the person, and returns the
 * attempt's purpose. Each attempt ends with the first response that has its state, valid or not.
 * Throws `sign-in-failed` and `provider-unavailable`.
 */
export async function finishOidcSignIn(
  store: Store,
  provider: OidcProvider,
  response: URL,
  secret: string | null,
): Promise<OidcAttempt & { readonly identity: OidcIdentity }> {
  const checks = secret !== null && looksLikeSecret(secret) ? checksOf(secret) : null;
  // Checked before anything is consumed, so a forged response does not affect the browser's
  // attempt.
  if (secret === null || !checks || !isSame(response.searchParams.get('state'), checks.state)) throw staleAttempt();
  const attempt = await takeOidcAttempt(store.global, hashSecret(secret));
  if (!attempt) throw staleAttempt();
  return { ...attempt, identity: await provider.identify(response, checks, await store.clock.now()) };
}

/**
 * Without the secret, each value is indistinguishable from random, and none reveals anything about
 * another.
 */
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
    'This response from the provider belongs to another browser, was already used, or has expired. Start again from the sign-in page.',
  );
}
