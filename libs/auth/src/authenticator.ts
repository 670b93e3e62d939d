import type { TenantId } from '#model';
import { readBrowserSession, readMember, readTokenRoute, type Store, type TenantScope } from '#store';
import { readBounds } from './bounds.ts';
import { BriefCache } from './brief-cache.ts';
import { type Caller, isRole, type Scope, scopes } from './caller.ts';
import type { AccessJwt, AccessJwtReader, Grant } from './jwt/access-jwt.ts';
import { looksLikeJwt } from './jwt/strict-jwt.ts';
import { hashSecret, looksLikeSecret, looksLikeToken } from './token.ts';

/**
 * Identifies the holder of a credential. This is the only place that knows the kinds of
 * credentials; the guard knows only {@link Caller}. Results are cached for at most 3 seconds,
 * including "nobody".
 */
export class Authenticator {
  readonly #store: Store;
  readonly #cache: BriefCache<Caller | null>;
  readonly #jwts: AccessJwtReader | null;
  /** A separate cache, so that a flood of invalid credentials does not evict valid ones. */
  readonly #checkedJwts: BriefCache<AccessJwt | null>;

  /** `now`: milliseconds of a monotonic clock. Without `jwts`, no JWT is accepted. */
  constructor(store: Store, { now, jwts }: { readonly now?: () => number; readonly jwts?: AccessJwtReader } = {}) {
    this.#store = store;
    this.#jwts = jwts ?? null;
    this.#cache = new BriefCache(now);
    this.#checkedJwts = new BriefCache(now);
  }

  /**
   * Returns the holder of an access token or of one of our JWTs. Null if the credential is unknown,
   * expired or revoked, or if its person has left the workspace.
   */
  async byToken(token: string): Promise<Caller | null> {
    const jwts = this.#jwts;
    if (jwts && looksLikeJwt(token))
      return this.#byJwt(await this.#checkedJwts.get(hashSecret(token).toString('base64'), () => jwts.read(token)));
    if (!looksLikeToken(token)) return null;
    const hash = hashSecret(token);
    return this.#cache.get(`token ${hash.toString('base64')}`, () => this.#lookUpToken(hash));
  }

  /** The person behind a browser's session cookie; null if the cookie is unknown or expired. */
  async bySession(secret: string): Promise<Caller | null> {
    if (!looksLikeSecret(secret)) return null;
    const hash = hashSecret(secret);
    return this.#cache.get(`session ${hash.toString('base64')}`, () => this.#lookUpSession(hash));
  }

  /** Checks the credential behind the JWT as if it had been sent itself. */
  async #byJwt(jwt: AccessJwt | null): Promise<Caller | null> {
    if (!jwt) return null;
    const { tenantId, personId, grant } = jwt;
    const holder = await this.#cache.get(`${grant.kind} of jwt ${tenantId} ${grant.id}`, () => this.#lookUpGrant(tenantId, grant));
    if (holder?.personId !== personId) return null;
    return { ...holder, via: 'jwt', scopes: new Set(jwt.scopes.filter((scope) => holder.scopes.has(scope))) };
  }

  /**
   * Drops the cached results for a token or session that was revoked in this process, so that the
   * token or session stops working before those results expire.
   */
  forget(secret: string): void {
    const hash = hashSecret(secret).toString('base64');
    this.#cache.delete(`token ${hash}`);
    this.#cache.delete(`session ${hash}`);
  }

  async #lookUpToken(hash: Buffer): Promise<Caller | null> {
    const route = await readTokenRoute(this.#store.global, hash);
    return route && this.#lookUpGrant(route.tenantId, { kind: 'token', id: route.tokenId });
  }

  /** The current permissions of an access token's holder, or of a workload. */
  async #lookUpGrant(tenantId: TenantId, grant: Grant): Promise<Caller | null> {
    return this.#store.withTenant(
      tenantId,
      async (scope) => {
        const bounds = await readBounds(scope, grant);
        if (!bounds) return null;
        const { personId, experiments, expiresAt } = bounds;
        const member = await this.#memberOf(scope, personId);
        return (
          member && {
            tenantId,
            personId,
            via: 'token',
            ...member,
            scopes: new Set(bounds.scopes),
            experiments: experiments && new Set(experiments),
            view: null,
            ...(expiresAt && { until: expiresAt }),
            ...(grant.kind === 'token' && { tokenId: grant.id }),
          }
        );
      },
      { rarelyWrites: true },
    );
  }

  async #lookUpSession(hash: Buffer): Promise<Caller | null> {
    const session = await readBrowserSession(this.#store.global, hash);
    if (!session) return null;
    const { tenantId, personId } = session;
    const { until, tokenId } = session.creator;
    const member = await this.#store.withTenant(tenantId, (scope) => this.#memberOf(scope, personId), { readOnly: true });
    return (
      member && {
        tenantId,
        personId,
        via: 'session',
        ...member,
        scopes: sessionScopes,
        experiments: null,
        view: null,
        ...(until && { until }),
        ...(tokenId && { tokenId }),
      }
    );
  }

  /** Returns null if the person is not a member, or has a role from a newer Plotline version. */
  async #memberOf(scope: TenantScope, personId: string): Promise<Pick<Caller, 'role' | 'program'> | null> {
    const member = await readMember(scope, personId);
    return member && isRole(member.role) ? { role: member.role, program: member.program } : null;
  }
}

/** A browser session has all of its person's scopes. */
const sessionScopes: ReadonlySet<Scope> = new Set(scopes);
