import { limits, Problem, type TenantId } from '#model';
import { listWorkloadIdentities, readTokenRoute, type Store, type WorkloadIdentity } from '#store';
import { readBounds } from '../bounds.ts';
import { isScope, type Scope } from '../caller.ts';
import { hashSecret, looksLikeToken } from '../token.ts';
import type { AccessJwtIssuer, Grant } from './access-jwt.ts';
import { audiencesOf, type JwtClaims } from './jwt-verifier.ts';
import { matchesSubject } from './subject-pattern.ts';
import type { WorkloadIssuers } from './workload-issuers.ts';

/** A JWT created from another credential. */
export interface ExchangedToken {
  readonly token: string;
  readonly seconds: number;
  readonly scopes: readonly Scope[];
}

/** A workload's own token, and the service account that it acts as. */
export interface WorkloadToken {
  readonly token: string;
  readonly tenantId: TenantId;
  readonly accountId: string;
}

/**
 * Creates short-lived JWTs from other credentials (RFC 8693): an access token, or the OIDC token of
 * a workload's platform. Our JWTs cannot be exchanged again, so a stolen JWT expires. Throws
 * `invalid-grant`, and `invalid-scope` if more is requested than the credential has.
 */
export class TokenExchange {
  readonly #store: Store;
  readonly #issuer: AccessJwtIssuer;
  readonly #workloads: WorkloadIssuers;

  constructor(store: Store, issuer: AccessJwtIssuer, workloads: WorkloadIssuers) {
    this.#store = store;
    this.#issuer = issuer;
    this.#workloads = workloads;
  }

  /** `wanted`: the requested scopes; null for all scopes of the token. */
  async fromAccessToken(token: string, wanted: readonly string[] | null): Promise<ExchangedToken> {
    const route = looksLikeToken(token) ? await readTokenRoute(this.#store.global, hashSecret(token)) : null;
    if (!route) throw noSuchToken();
    return this.#issue(route.tenantId, { kind: 'token', id: route.tokenId }, wanted, noSuchToken);
  }

  async fromWorkload({ token, tenantId, accountId }: WorkloadToken, wanted: readonly string[] | null): Promise<ExchangedToken> {
    const claims = await this.#workloads.verify(token);
    if (!claims || typeof claims['sub'] !== 'string') throw invalidGrant('The subject token is invalid, or its issuer is unknown.');
    const subject = claims['sub'];
    const identities = await this.#store.withTenant(
      tenantId,
      (scope) => listWorkloadIdentities(scope, { accountId, limit: limits.maxWorkloads }),
      { readOnly: true },
    );
    const identity = identities.find((candidate) => fits(candidate, claims, subject));
    // The message is the same whether or not the service account exists.
    const rejected = (): Problem =>
      invalidGrant(
        `This service account has no such workload: issuer ${claims.iss}, subject ${subject}, audience ${audiencesOf(claims).join(', ')}.`,
      );
    if (!identity) throw rejected();
    return this.#issue(tenantId, { kind: 'workload', id: identity.workloadId }, wanted, rejected);
  }

  async #issue(tenantId: TenantId, grant: Grant, wanted: readonly string[] | null, rejected: () => Problem): Promise<ExchangedToken> {
    const bounds = await this.#store.withTenant(tenantId, (scope) => readBounds(scope, grant), { rarelyWrites: true });
    if (!bounds) throw rejected();
    const scopes = wanted === null ? bounds.scopes : wanted.filter(isScope);
    if (scopes.length < (wanted?.length ?? 1) || scopes.some((scope) => !bounds.scopes.includes(scope)))
      throw new Problem('invalid-scope', `Your token permits only ${bounds.scopes.join(', ')}.`, {
        extra: { error: 'invalid_scope' },
      });
    const { personId, expiresAt } = bounds;
    return { ...(await this.#issuer.sign({ tenantId, personId, grant, scopes }, expiresAt)), scopes };
  }
}

function fits(identity: WorkloadIdentity, claims: JwtClaims, subject: string): boolean {
  return identity.issuer === claims.iss && audiencesOf(claims).includes(identity.audience) && matchesSubject(identity.subject, subject);
}

function noSuchToken(): Problem {
  return invalidGrant('The subject token is not a valid access token.');
}

/** OAuth clients read `error` (RFC 6749, 5.2). */
function invalidGrant(detail: string): Problem {
  return new Problem('invalid-grant', detail, { extra: { error: 'invalid_grant' } });
}
