import { runToEnd } from '#admission';
import { quotaNames, type Quotas, type TenantId } from '#model';
import { readOwner, readWorkspaceLimits, type Store, type Suspension } from '#store';
import type { QuotaDefaults } from './quota-defaults.ts';

/** The quotas of a workspace, and whether it is suspended. */
export interface Terms {
  readonly quotas: Quotas;
  readonly suspension: Suspension | null;
  /**
   * The account that the workspace's use of the service is charged to: the person who has been an
   * owner longest, otherwise the workspace itself.
   */
  readonly account: string;
}

/**
 * How long a result may be reused: changes by the operator take effect everywhere within five
 * seconds, including the time of a query.
 */
const maxAgeMs = 2_000;
const maxCached = 10_000;

/**
 * The terms of workspaces, which are cheap enough to query for every request. Results are cached
 * for at most 2 s in each process.
 */
export class WorkspaceTerms {
  readonly #store: Store;
  readonly #defaults: QuotaDefaults;
  readonly #now: () => number;
  readonly #cache = new Map<string, { terms: Promise<Terms>; until: number }>();

  /** `now`: milliseconds of a monotonic clock. */
  constructor(store: Store, defaults: QuotaDefaults, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#defaults = defaults;
    this.#now = now;
  }

  /**
   * The terms of a workspace, at most 2 s old. Throws the store's error: without a result, no
   * request is admitted.
   */
  of(tenantId: TenantId): Promise<Terms> {
    const now = this.#now();
    const kept = this.#cache.get(tenantId);
    if (kept && kept.until > now) return kept.terms;
    const terms = runToEnd(() => this.#read(tenantId)); // others wait for it, too
    this.#cache.delete(tenantId);
    this.#cache.set(tenantId, { terms, until: now + maxAgeMs });
    terms.catch(() => this.#cache.delete(tenantId)); // an error is not cached; waiting callers get it
    if (this.#cache.size > maxCached) this.#cache.delete(this.#cache.keys().next().value!); // the oldest: entries are in order of insertion
    return terms;
  }

  async #read(tenantId: TenantId): Promise<Terms> {
    const [set, owner] = await this.#store.withTenant(
      tenantId,
      async (scope) => Promise.all([readWorkspaceLimits(scope), readOwner(scope)]),
      { readOnly: true },
    );
    const { quotas } = this.#defaults;
    const account = owner ?? tenantId;
    if (!set) return { quotas, suspension: null, account };
    const own = Object.fromEntries(quotaNames.map((name) => [name, set.quotas[name] ?? quotas[name]]));
    return { quotas: own as Quotas, suspension: set.suspension, account };
  }
}
