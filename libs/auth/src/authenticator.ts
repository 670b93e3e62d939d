import { readAccessToken, readBrowserSession, readMemberRole, readTokenRoute, type Store } from '#store';
import type { Caller } from './caller.ts';
import { hashSecret, looksLikeSecret, looksLikeToken } from './token.ts';

/** How long an answer may be used again: a revoked token stops working within this. */
const maxAgeMs = 5_000;
const maxCached = 10_000;

type Role = string;

/**
 * Finds out who holds a credential. This is the one place that knows which kinds there are; the guard only knows {@link Caller}.
 * Answers are kept for at most 5 seconds, also "nobody".
 */
export class Authenticator {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #cache = new Map<string, { caller: Promise<Caller | null>; until: number }>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(store: Store, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#now = now;
  }

  /** The holder of an access token; null when it is unknown, expired or revoked, or its person has left the workspace. */
  async byToken(token: string): Promise<Caller | null> {
    if (!looksLikeToken(token)) return null;
    const hash = hashSecret(token);
    return this.#cached(`token ${hash.toString('base64')}`, () => this.#lookUpToken(hash));
  }

  /** The person behind a browser's session cookie; null when it is unknown or expired. */
  async bySession(secret: string): Promise<Caller | null> {
    if (!looksLikeSecret(secret)) return null;
    const hash = hashSecret(secret);
    return this.#cached(`session ${hash.toString('base64')}`, () => this.#lookUpSession(hash));
  }

  async #lookUpToken(hash: Buffer): Promise<Caller | null> {
    const route = await readTokenRoute(this.#store.global, hash);
    if (!route) return null;
    const { tenantId } = route;
    return this.#store.withTenant(tenantId, async (trx) => {
      const token = await readAccessToken(trx, tenantId, route.tokenId);
      if (!token) return null;
      const role = await readMemberRole(trx, tenantId, token.personId);
      return role === null ? null : { tenantId, personId: token.personId, via: 'token', mayWrite: writers.has(role) };
    });
  }

  async #lookUpSession(hash: Buffer): Promise<Caller | null> {
    const session = await readBrowserSession(this.#store.global, hash);
    if (!session) return null;
    const { tenantId, personId } = session;
    const role = await this.#store.withTenant(tenantId, (trx) => readMemberRole(trx, tenantId, personId));
    return role === null ? null : { tenantId, personId, via: 'session', mayWrite: false };
  }

  #cached(key: string, look: () => Promise<Caller | null>): Promise<Caller | null> {
    const now = this.#now();
    const kept = this.#cache.get(key);
    if (kept && kept.until > now) return kept.caller;
    const caller = look();
    this.#cache.delete(key);
    this.#cache.set(key, { caller, until: now + maxAgeMs });
    caller.catch(() => this.#cache.delete(key)); // a failure is not an answer; who waits for it sees it
    if (this.#cache.size > maxCached) this.#cache.delete(this.#cache.keys().next().value!); // the oldest: entries are in order of insertion
    return caller;
  }
}

/** Roles that may change things; a viewer reads. */
const writers: ReadonlySet<Role> = new Set(['owner', 'admin', 'member']);
