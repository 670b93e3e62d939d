/** What one tenant has pending. */
export interface TenantCost {
  readonly tenantId: string;
  readonly cost: number;
}

/** How a {@link PendingView} looks at the ledger. */
export interface PendingViewOptions {
  /** The pending cost of every tenant that has some, from the ledger. */
  readonly read: () => Promise<readonly TenantCost[]>;
  readonly onError: (error: unknown) => void;
  /** In milliseconds, monotonic. */
  readonly now?: () => number;
}

/** A look is this old at most while uploads come in. */
const everyMs = 1_000;
/** Looks take at most a twentieth of the time, so a list of a million segments (0.2 s) is read every four seconds. */
const restPerLook = 20;
/** Whoever finds that a look is overdue by this much (nothing came in for a while) waits for it. */
const overdueMs = 4_000;
/** Weight of the newest measurement in the rate at which pending work is done. */
const newest = 0.4;

/**
 * What is pending, cheap enough to be asked for every request: the last look at the ledger and what this process has acknowledged
 * since. The ledger alone counts, so several processes need not agree, nothing can drift, and a restart forgets nothing. What other processes
 * acknowledge is seen with the next look.
 *
 * What disappears between two looks, although this process added to it, was worked off: that gives the rates. While another process adds
 * to it they come out too low; while a tenant is refused everywhere, as it is over its bound, they are right.
 */
export class PendingView {
  readonly #options: Required<PendingViewOptions>;
  #seen = new Tally();
  /** Acknowledged here since the last look began … */
  #since = new Tally();
  /** … and since the look began that is being taken: it may or may not see them. */
  #during = new Tally();
  /** Bytes a millisecond, of each tenant and (under '') of all. */
  readonly #rates = new Map<string, number>();
  #lookedAt: number | null = null;
  #nextLookAt = -Infinity;
  #looking: Promise<void> | null = null;

  constructor(options: PendingViewOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Sees to it that the view is recent; waits only after a pause. Never throws: with the database away nothing can be acknowledged anyway. */
  async refresh(): Promise<void> {
    const overdue = this.#options.now() - this.#nextLookAt;
    if (overdue < 0) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    if (overdue > overdueMs) await this.#looking;
  }

  /** Notes what this process has acknowledged. */
  add(tenantId: string, cost: number): void {
    this.#since.add(tenantId, cost);
    this.#during.add(tenantId, cost);
  }

  of(tenantId: string): number {
    return this.#seen.of(tenantId) + this.#since.of(tenantId);
  }

  get total(): number {
    return this.#seen.total + this.#since.total;
  }

  /** How many tenants have something pending; `tenantId` counts as one of them. */
  tenantsWith(tenantId: string): number {
    return new Set([...this.#seen.tenants(), ...this.#since.tenants(), tenantId]).size;
  }

  /** Bytes a second that are worked off, null when nobody knows yet. Without a tenant: of all. */
  rate(tenantId = ''): number | null {
    const rate = this.#rates.get(tenantId);
    return rate === undefined ? null : rate * 1_000;
  }

  async #look(): Promise<void> {
    const { read, now, onError } = this.#options;
    const startedAt = now();
    this.#during = new Tally();
    try {
      const seen = new Tally();
      for (const { tenantId, cost } of await read()) seen.add(tenantId, cost);
      this.#measure(seen, startedAt);
      this.#seen = seen;
      this.#since = this.#during;
      this.#during = new Tally();
      this.#lookedAt = startedAt;
    } catch (error) {
      onError(error);
    } finally {
      const endedAt = now();
      this.#nextLookAt = endedAt + Math.max(everyMs, restPerLook * (endedAt - startedAt));
    }
  }

  #measure(seen: Tally, startedAt: number): void {
    const elapsed = this.#lookedAt === null ? 0 : startedAt - this.#lookedAt;
    if (elapsed <= 0) return;
    const note = (name: string, before: number, added: number, after: number): void => {
      if (before + added < after) return; // another process added more than was worked off
      const rate = (before + added - after) / elapsed;
      const known = this.#rates.get(name);
      // When all of it is gone, it may have gone faster.
      const measured = known === undefined ? rate : known + newest * (rate - known);
      this.#rates.set(name, after === 0 ? Math.max(known ?? 0, rate) : measured);
    };
    const tenants = new Set([...this.#seen.tenants(), ...this.#since.tenants()]);
    for (const name of this.#rates.keys()) if (name !== '' && !tenants.has(name)) this.#rates.delete(name);
    for (const id of tenants) note(id, this.#seen.of(id), this.#since.of(id) - this.#during.of(id), seen.of(id));
    note('', this.#seen.total, this.#since.total - this.#during.total, seen.total);
  }
}

/** Sums by tenant. */
class Tally {
  readonly #sums = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(tenantId: string, cost: number): void {
    this.#sums.set(tenantId, this.of(tenantId) + cost);
    this.#total += cost;
  }

  of(tenantId: string): number {
    return this.#sums.get(tenantId) ?? 0;
  }

  tenants(): Iterable<string> {
    return this.#sums.keys();
  }
}
