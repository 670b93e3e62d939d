import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { parseTenantId, type TenantId } from '#model';
import type { DatabaseClock } from '#store';
import { type Scope, scopes } from '../caller.ts';
import { JwtVerifier } from './jwt-verifier.ts';
import type { OwnKeys } from './own-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/**
 * The credential behind a JWT. The JWT is valid as long as that credential is, and has the same
 * permissions.
 */
export type Grant = { readonly kind: 'token'; readonly id: string } | { readonly kind: 'workload'; readonly id: string };

/** The claims of one of our access JWTs. */
export interface AccessJwt {
  readonly tenantId: TenantId;
  readonly personId: string;
  readonly grant: Grant;
  readonly scopes: readonly Scope[];
}

/** Lifetime of a JWT. */
export const maxJwtSeconds = 600;
/**
 * RFC 9068, 2.1: marks the JWT as an API token, so that other kinds of tokens from the same issuer
 * are not accepted.
 */
const type = 'at+jwt';

const claimsSchema = z.object({
  sub: z.uuid(),
  jti: z.uuid(),
  workspace: z.uuid().transform(parseTenantId),
  token: z.uuid().optional(),
  workload: z.uuid().optional(),
  scope: z.string(),
});

/** The `iss` and the `aud` of our own JWTs. `url`: the public URL, without a trailing slash. */
const audienceOf = (url: string): string => `${url}/api/v1`;

/** Signs JWTs for our own API, valid for at most ten minutes. */
export class AccessJwtIssuer {
  readonly #url: string;
  readonly #keys: SigningKeys;
  readonly #clock: DatabaseClock;

  constructor(url: string, keys: SigningKeys, clock: DatabaseClock) {
    this.#url = url;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** `until`: when the credential behind the JWT expires; null for never. */
  async sign(
    { tenantId, personId, grant, scopes: granted }: AccessJwt,
    until: Date | null = null,
  ): Promise<{ token: string; seconds: number }> {
    const { keyId, key } = await this.#keys.current();
    const now = (await this.#clock.now()) / 1_000;
    const left = until === null ? maxJwtSeconds : until.getTime() / 1_000 - now;
    const lifetime = Math.max(1, Math.floor(Math.min(left, maxJwtSeconds)));
    const claims = { iat: Math.floor(now), workspace: tenantId, [grant.kind]: grant.id, scope: granted.join(' ') };
    const token = jwt.sign(claims, key, {
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: type, kid: keyId },
      issuer: this.#url,
      audience: audienceOf(this.#url),
      subject: personId,
      jwtid: randomUUID(),
      expiresIn: lifetime, // counted from `iat`
    });
    return { token, seconds: lifetime };
  }
}

/** Reads the JWTs signed by {@link AccessJwtIssuer}. */
export class AccessJwtReader {
  readonly #verifier: JwtVerifier;

  constructor(url: string, keys: OwnKeys, clock: DatabaseClock) {
    const own = {
      issuer: url,
      audience: audienceOf(url),
      algorithms: ['ES256'],
      types: [type],
      maxLifetimeSeconds: maxJwtSeconds,
      keys,
    } as const;
    this.#verifier = new JwtVerifier([own], clock);
  }

  /**
   * Returns the claims of a current JWT of ours; null for anything else. Does not check whether the
   * credential behind the JWT is still valid.
   */
  async read(token: string): Promise<AccessJwt | null> {
    const claims = claimsSchema.safeParse(await this.#verifier.verify(token));
    if (!claims.success) return null;
    const { sub: personId, workspace: tenantId, token: tokenId, workload, scope } = claims.data;
    const grant = grantOf(tokenId, workload);
    return grant && { tenantId, personId, grant, scopes: scopes.filter((known) => scope.split(' ').includes(known)) };
  }
}

/** Returns a grant if exactly one of the two ids is given, otherwise null. */
function grantOf(tokenId: string | undefined, workloadId: string | undefined): Grant | null {
  if (tokenId !== undefined && workloadId === undefined) return { kind: 'token', id: tokenId };
  if (workloadId !== undefined && tokenId === undefined) return { kind: 'workload', id: workloadId };
  return null;
}
