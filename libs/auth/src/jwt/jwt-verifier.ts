import type { Algorithm } from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import type { DatabaseClock } from '#store';
import type { KeyCache, VerificationKey } from './key-cache.ts';
import { readJwt } from './strict-jwt.ts';

/** Somebody whose JWTs are accepted, and which. */
export interface JwtIssuer {
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /** Must be among the claim `aud`; null: whoever uses the claims compares it. */
  readonly audience: string | null;
  readonly algorithms: readonly VerificationKey['algorithm'][];
  /** What `typ` of the header may be, in lower case; null: it may be absent. */
  readonly types: readonly (string | null)[];
  /** From `iat` to `exp`, at most. */
  readonly maxLifetimeSeconds: number;
  readonly keys: Pick<KeyCache, 'find'>;
}

/** The claims of a JWT that holds. */
export type JwtClaims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
};

/** What the strategy sees as its request. */
interface Attempt {
  readonly token: string;
  readonly fail: (error: unknown) => void;
}

/** An issuer's clock may be ahead of the database's by this much. One that is behind needs no leeway: its JWTs only end sooner, and what is over is over. */
const maxSkewSeconds = 60;

/**
 * Checks JWTs: the one place where that is done, with the one strategy of passport-jwt. An issuer that is not among `issuers` is nobody; each has its own
 * algorithms and keys, so that no token chooses how it is checked (RFC 8725, 3.1). The time is the database's, the same for every process.
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
          // jsonwebtoken takes a KeyObject, which the types of passport-jwt do not know.
          this.#keyFor(token).then((key) => done(key ? null : new Error('refused'), key as unknown as Buffer), request.fail);
        },
        algorithms: [...new Set(issuers.flatMap(({ algorithms }) => algorithms))] satisfies Algorithm[],
        issuer: issuers.map(({ issuer }) => issuer),
        // jsonwebtoken would take the time of this machine.
        ignoreExpiration: true,
        jsonWebTokenOptions: { ignoreNotBefore: true },
      },
      (claims: JwtClaims, done) => {
        this.#isInTime(claims).then((isInTime) => done(null, isInTime && claims), done);
      },
    );
  }

  /** The claims of a JWT of one of the issuers that is in its form, signed, in time, and for us; null for any other text. Throws when an issuer's keys, or the time, cannot be had. */
  async verify(token: string): Promise<JwtClaims | null> {
    return new Promise((resolve, reject) => {
      // As Passport does it: an object made from the strategy that knows where its outcomes go.
      const attempt = Object.create(this.#strategy) as Strategy;
      attempt.success = (claims: JwtClaims) => resolve(claims);
      attempt.fail = () => resolve(null);
      attempt.error = reject;
      attempt.authenticate({ token, fail: reject } satisfies Attempt as never);
    });
  }

  /** The key to check a token with; null when it is refused before. Looked up only for tokens that say they are for us, of a kind that we take. */
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

  /** `iat` and `exp` have to be there; `nbf` may. */
  async #isInTime({ iss, iat, exp, nbf = iat }: JwtClaims): Promise<boolean> {
    const maxLifetime = this.#issuers.get(iss)?.maxLifetimeSeconds ?? 0;
    if (![iat, exp, nbf].every(Number.isFinite)) return false;
    const now = (await this.#clock.now()) / 1_000;
    return exp > iat && exp - iat <= maxLifetime && exp > now && Math.max(iat, nbf) <= now + maxSkewSeconds;
  }
}

/** The claim `aud`: one name or several (RFC 7519, 4.1.3). */
export function audiencesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const { aud } = claims;
  return (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === 'string');
}
