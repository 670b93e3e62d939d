import type { Algorithm } from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import type { DatabaseClock } from '#store';
import type { KeyCache, VerificationKey } from './key-cache.ts';
import { readJwt } from './strict-jwt.ts';

/** An issuer whose JWTs are accepted, and the requirements for these JWTs. */
export interface JwtIssuer {
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /**
   * The audience that the claim `aud` must contain; null if the code that uses the claims checks
   * it.
   */
  readonly audience: string | null;
  readonly algorithms: readonly VerificationKey['algorithm'][];
  /** Allowed values of the header's `typ`, in lower case; null if it may be absent. */
  readonly types: readonly (string | null)[];
  /** Maximum time from `iat` to `exp`. */
  readonly maxLifetimeSeconds: number;
  readonly keys: Pick<KeyCache, 'find'>;
}

/** The claims of a valid JWT. */
export type JwtClaims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
};

/** The strategy's view of a request. */
interface Attempt {
  readonly token: string;
  readonly fail: (error: unknown) => void;
}

/**
 * An issuer's clock can be ahead of the database's by this much. A clock that is behind needs no
 * leeway: its JWTs only expire sooner.
 */
const maxSkewSeconds = 60;

/**
 * The only place that verifies JWTs; uses passport-jwt's strategy. Issuers that are not in
 * `issuers` are unknown. Each issuer has its own algorithms and keys, so no token chooses how it is
 * verified (RFC 8725, 3.1). Uses the database's time, which is the same for every process.
 */
export class JwtVerifier {
  readonly #issuers: ReadonlyMap<string, JwtIssuer>;
  readonly #strategy: Strategy;
  readonly #clock: DatabaseClock;

  constructor(issuers: readonly JwtIssuer[], clock: DatabaseClock) {
    this.#clock = clock;
    this.#issuers = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
    this.#strategy = new Strategy(
      {
        jwtFromRequest: (request: unknown) => (request as Attempt).token,
        secretOrKeyProvider: (request: Attempt, token: string, done) => {
          // jsonwebtoken accepts a KeyObject, which passport-jwt's types lack.
          this.#keyFor(token).then((key) => done(key ? null : new Error('refused'), key as unknown as Buffer), request.fail);
        },
        algorithms: [...new Set(issuers.flatMap(({ algorithms }) => algorithms))] satisfies Algorithm[],
        issuer: issuers.map(({ issuer }) => issuer),
        // jsonwebtoken would use this machine's time.
        ignoreExpiration: true,
        jsonWebTokenOptions: { ignoreNotBefore: true },
      },
      (claims: JwtClaims, done) => {
        this.#isInTime(claims).then((isInTime) => done(null, isInTime && claims), done);
      },
    );
  }

  /**
   * Returns the claims of a well-formed, signed and current JWT that one of the issuers intended
   * for us; null for any other string. Throws if an issuer's keys or the time are unavailable.
   */
  async verify(token: string): Promise<JwtClaims | null> {
    return new Promise((resolve, reject) => {
      // Like Passport, derives an object from the strategy and adds a callback for each outcome.
      const attempt = Object.create(this.#strategy) as Strategy;
      attempt.success = (claims: JwtClaims) => resolve(claims);
      attempt.fail = () => resolve(null);
      attempt.error = reject;
      attempt.authenticate({ token, fail: reject } satisfies Attempt as never);
    });
  }

  /**
   * The key for verifying a token; null if the token is rejected before that. Keys are looked up
   * only for tokens of an accepted type that claim to be for us.
   */
  async #keyFor(token: string): Promise<VerificationKey['key'] | null> {
    const jwt = readJwt(token);
    const issuer = typeof jwt?.claims.iss === 'string' ? this.#issuers.get(jwt.claims.iss) : undefined;
    if (!jwt || !issuer) return null;
    const { alg, kid, typ } = jwt.header;
    if (!issuer.types.includes(typ?.toLowerCase() ?? null)) return null;
    if (issuer.audience !== null && !audiencesOf(jwt.claims).includes(issuer.audience)) return null;
    if (!issuer.algorithms.some((algorithm) => algorithm === alg)) return null;
    const found = await issuer.keys.find(kid);
    return found?.algorithm === alg ? found.key : null;
  }

  /** `iat` and `exp` are required; `nbf` is optional. */
  async #isInTime({ iss, iat, exp, nbf = iat }: JwtClaims): Promise<boolean> {
    const maxLifetime = this.#issuers.get(iss)?.maxLifetimeSeconds ?? 0;
    if (![iat, exp, nbf].every(Number.isFinite)) return false;
    const now = (await this.#clock.now()) / 1_000;
    return exp > iat && exp - iat <= maxLifetime && exp > now && Math.max(iat, nbf) <= now + maxSkewSeconds;
  }
}

/** The claim `aud`: one or several names (RFC 7519, 4.1.3). */
export function audiencesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const { aud } = claims;
  return (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === 'string');
}
