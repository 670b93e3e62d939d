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

/** A look is this old at most while uploads come in … */
const everyMs = 1_000;
/** … and this old when somebody is refused for what it says: with a small bound, all of it may have been worked off meanwhile. */
const everyMsAtBound = 100;
/** Looks take at most a twentieth of the time, so a list of a million segments (0.2 s) is read every four seconds. */
const restPerLook = 20;
/** Whoever finds that a look is overdue by this much (nothing came in for a while) waits for it. */
const overdueMs = 4_000;
/** Rates are measured over this time at least, since work is settled in commits, and forget what is older than some times `memoryMs`. */
const measureMs = 900;
const memoryMs = 2_500;

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
  /** The look from which the next rate is measured, and what was acknowledged here since it began. */
  #base: { readonly seen: Tally; readonly at: number; added: Tally } | null = null;
  #nextLookAt = -Infinity;
  /** Sooner, and the looks would take too much of the time. */
  #nextLookAtBoundAt = -Infinity;
  #looking: Promise<void> | null = null;

  constructor(options: PendingViewOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Sees to it that the view is recent; waits only after a pause. Never throws: with the database away nothing can be acknowledged anyway. */
  async refresh(): Promise<void> {
    const overdue = this.#options.now() - this.#nextLookAt;
    if (overdue < 0) return;
    const looking = this.#startLook();
    if (overdue > overdueMs) await looking;
  }

  /** Waits for a new look if the last one is not quite fresh: somebody is about to be refused for what it said. Never throws. */
  async lookAgain(): Promise<void> {
    if (this.#looking || this.#options.now() >= this.#nextLookAtBoundAt) await this.#startLook();
  }

  /** Notes what this process has acknowledged. */
  add(tenantId: string, cost: number): void {
    this.#since.add(tenantId, cost);
    this.#during.add(tenantId, cost);
    this.#base?.added.add(tenantId, cost);
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

  #startLook(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    }));
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
    } catch (error) {
      onError(error);
    } finally {
      const endedAt = now();
      const rest = restPerLook * (endedAt - startedAt);
      this.#nextLookAt = endedAt + Math.max(everyMs, rest);
      this.#nextLookAtBoundAt = endedAt + Math.max(everyMsAtBound, rest);
    }
  }

  #measure(seen: Tally, startedAt: number): void {
    const base = this.#base;
    if (base && startedAt - base.at < measureMs) return;
    this.#base = { seen, at: startedAt, added: this.#during.copy() };
    if (!base) return;
    const elapsed = startedAt - base.at;
    const weight = 1 - Math.exp(-elapsed / memoryMs);
    const note = (name: string, before: number, added: number, after: number): void => {
      if (before + added < after) return; // another process added more than was worked off
      const rate = (before + added - after) / elapsed;
      const known = this.#rates.get(name);
      // When all of it is gone, it may have gone faster.
      if (known === undefined || after === 0) this.#rates.set(name, Math.max(known ?? 0, rate));
      else this.#rates.set(name, known + weight * (rate - known));
    };
    const tenants = new Set([...base.seen.tenants(), ...base.added.tenants()]);
    for (const name of this.#rates.keys()) if (name !== '' && !tenants.has(name)) this.#rates.delete(name);
    for (const id of tenants) note(id, base.seen.of(id), base.added.of(id) - this.#during.of(id), seen.of(id));
    note('', base.seen.total, base.added.total - this.#during.total, seen.total);
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

  copy(): Tally {
    const copy = new Tally();
    for (const [tenantId, cost] of this.#sums) copy.add(tenantId, cost);
    return copy;
  }
}
