import { z } from 'zod';
import { Problem } from '#model';
import type { DatabaseClock } from '#store';
import { type JwtClaims, JwtVerifier } from './jwt-verifier.ts';
import { KeyCache, type KeySet } from './key-cache.ts';
import { readKeySet } from './public-keys.ts';

/** An issuer of workload OIDC tokens, configured by the operator. */
export interface WorkloadIssuer {
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /**
   * The URL of the issuer's keys; null if the keys come from its discovery document (OpenID Connect
   * Discovery 1.0, 4).
   */
  readonly jwksUrl: string | null;
}

const fetchTimeoutMs = 5_000;
const maxDocumentBytes = 256 * 1_024;
const retryMs = 30_000;
/** Kubernetes issues tokens that are valid for an hour or a few hours, CI systems for minutes. */
const maxLifetimeSeconds = 24 * 3_600;

/**
 * Verifies workloads' OIDC tokens. Fetches only URLs that the operator configured and URLs in the
 * documents found there, never a URL from a token or a user. `now`: milliseconds of a monotonic
 * clock.
 */
export class WorkloadIssuers {
  /** The accepted `iss` claims. */
  readonly names: readonly string[];
  readonly #verifier: JwtVerifier;

  constructor(issuers: readonly WorkloadIssuer[], clock: DatabaseClock, now?: () => number) {
    this.names = issuers.map(({ issuer }) => issuer);
    this.#verifier = new JwtVerifier(
      issuers.map((issuer) => ({
        issuer: issuer.issuer,
        audience: null,
        algorithms: ['RS256', 'ES256'],
        types: ['jwt', null],
        maxLifetimeSeconds,
        keys: new KeyCache(loader(issuer), { retryMs, ...(now && { now }) }),
      })),
      clock,
    );
  }

  /**
   * Returns null unless the string is a valid token from one of the issuers. Throws
   * `issuer-unavailable` if the keys are unavailable.
   */
  verify(token: string): Promise<JwtClaims | null> {
    return this.#verifier.verify(token);
  }
}

/**
 * Returns a function that loads the issuer's keys. The key URL is discovered once, and again after
 * a failure.
 */
function loader(issuer: WorkloadIssuer): () => Promise<KeySet> {
  let jwksUrl = issuer.jwksUrl;
  return async () => {
    try {
      jwksUrl ??= await discover(issuer.issuer);
      return readKeySet(await fetchJson(jwksUrl));
    } catch (cause) {
      jwksUrl = issuer.jwksUrl;
      throw new Problem('issuer-unavailable', `The keys of ${issuer.issuer} are not available. Try again.`, { cause });
    }
  };
}

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

async function discover(issuer: string): Promise<string> {
  const document = discoverySchema.parse(await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
  if (document.issuer !== issuer) throw new Error(`the discovery document belongs to another issuer, ${document.issuer}`);
  const { protocol, origin } = new URL(document.jwks_uri);
  if (protocol !== 'https:' && origin !== new URL(issuer).origin) throw new Error('the keys are not at an https address');
  return document.jwks_uri;
}

/** Fetches JSON without following redirects, with a timeout and a size limit. */
async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(fetchTimeoutMs),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxDocumentBytes) throw new Error(`${url} is larger than ${maxDocumentBytes} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}
