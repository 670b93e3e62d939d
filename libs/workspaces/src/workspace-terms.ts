import { quotaNames, type Quotas } from '#model';
import { readOwner, readWorkspaceLimits, type Store, type Suspension } from '#store';
import type { QuotaDefaults } from './quota-defaults.ts';

/** What a workspace may use, and whether it is suspended. */
export interface Terms {
  readonly quotas: Quotas;
  readonly suspension: Suspension | null;
  /** Who answers for the workspace, and whose share of the service it uses: the person who has owned it for longest; else the workspace itself. */
  readonly account: string;
}

/** How long an answer may be used again: what the operator changes holds everywhere within five seconds, the time of a query included. */
const maxAgeMs = 2_000;
const maxCached = 10_000;

/** The terms of workspaces, cheap enough to be asked for with every request. Answers are kept for at most 2 s in each process. */
export class WorkspaceTerms {
  readonly #store: Store;
  readonly #defaults: QuotaDefaults;
  readonly #now: () => number;
  readonly #cache = new Map<string, { terms: Promise<Terms>; until: number }>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(store: Store, defaults: QuotaDefaults, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#defaults = defaults;
    this.#now = now;
  }

  /** The terms of a workspace, at most 2 s old. Throws what the store throws: without an answer nobody is let in. */
  of(tenantId: string): Promise<Terms> {
    const now = this.#now();
    const kept = this.#cache.get(tenantId);
    if (kept && kept.until > now) return kept.terms;
    const terms = this.#read(tenantId);
    this.#cache.delete(tenantId);
    this.#cache.set(tenantId, { terms, until: now + maxAgeMs });
    terms.catch(() => this.#cache.delete(tenantId)); // a failure is not an answer; who waits for it sees it
    if (this.#cache.size > maxCached) this.#cache.delete(this.#cache.keys().next().value!); // the oldest: entries are in order of insertion
    return terms;
  }

  async #read(tenantId: string): Promise<Terms> {
    const [set, owner] = await this.#store.withTenant(
      tenantId,
      async (trx) => Promise.all([readWorkspaceLimits(trx, tenantId), readOwner(trx, tenantId)]),
      { readOnly: true },
    );
    const { quotas } = this.#defaults;
    const account = owner ?? tenantId;
    if (!set) return { quotas, suspension: null, account };
    const own = Object.fromEntries(quotaNames.map((name) => [name, set.quotas[name] ?? quotas[name]]));
    return { quotas: own as Quotas, suspension: set.suspension, account };
  }
}
