import type { TenantId } from '#model';

/** The pending cost of one tenant. */
export interface TenantCost {
  readonly tenantId: TenantId;
  readonly cost: number;
}

/** How a {@link PendingView} reads the ledger. */
export interface PendingViewOptions {
  /** Reads from the ledger the pending cost of every tenant that has any. */
  readonly read: () => Promise<readonly TenantCost[]>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/** Maximum age of a reading while uploads arrive … */
const everyMs = 1_000;
/**
 * … and before a request is rejected because of it: with a small bound, the whole backlog may have
 * been ingested since.
 */
const everyMsAtBound = 100;
/**
 * Readings may take at most a twentieth of the time, so a list of a million segments (0.2 s) is
 * read every four seconds.
 */
const restPerLook = 20;
/**
 * A caller waits for a reading if it is overdue by this much, which happens after a pause in
 * uploads.
 */
const overdueMs = 4_000;
/**
 * Rates are measured over at least this time, because work is settled in commits. Measurements that
 * are several times older than `memoryMs` have no effect.
 */
const measureMs = 900;
const memoryMs = 2_500;

/**
 * The pending bytes, cheap enough to query with every request. They are the last reading of the
 * ledger, plus what this process has acknowledged since. The ledger is authoritative, so processes
 * need not coordinate, nothing can drift, and a restart loses nothing. The next reading includes
 * what other processes acknowledged.
 *
 * Bytes that disappear between two readings were ingested. This gives the rates, after the bytes
 * that this process acknowledged are added. The rates are too low while another process adds bytes.
 * They are correct while all processes reject a tenant because it exceeds its bound.
 */
export class PendingView {
  readonly #options: Required<PendingViewOptions>;
  #seen = new Tally();
  /** Acknowledged here since the last reading started … */
  #since = new Tally();
  /** … and since the current reading started, which may or may not include it. */
  #during = new Tally();
  /** Bytes per millisecond, for each tenant and, under '', in total. */
  readonly #rates = new Map<TenantId | '', number>();
  /**
   * The reading from which the next rate is measured, and what this process has acknowledged since
   * that reading started.
   */
  #base: { readonly seen: Tally; readonly at: number; added: Tally } | null = null;
  #nextLookAt = -Infinity;
  /** Prevents readings from taking too much time. */
  #nextLookAtBoundAt = -Infinity;
  #looking: Promise<void> | null = null;

  constructor(options: PendingViewOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /**
   * Ensures that the view is recent. Waits only after a pause. Never throws, because nothing can be
   * acknowledged anyway while the database is down.
   */
  async refresh(): Promise<void> {
    const overdue = this.#options.now() - this.#nextLookAt;
    if (overdue < 0) return;
    const looking = this.#startLook();
    if (overdue > overdueMs) await looking;
  }

  /**
   * Waits for a new reading if the last one is not fresh. Call this before rejecting a request.
   * Never throws.
   */
  async lookAgain(): Promise<void> {
    if (this.#looking || this.#options.now() >= this.#nextLookAtBoundAt) await this.#startLook();
  }

  /** Adds what this process has acknowledged. */
  add(tenantId: TenantId, cost: number): void {
    this.#since.add(tenantId, cost);
    this.#during.add(tenantId, cost);
    this.#base?.added.add(tenantId, cost);
  }

  of(tenantId: TenantId): number {
    return this.#seen.of(tenantId) + this.#since.of(tenantId);
  }

  get total(): number {
    return this.#seen.total + this.#since.total;
  }

  /** The number of tenants with pending bytes. `tenantId` always counts as one of them. */
  tenantsWith(tenantId: TenantId): number {
    return new Set([...this.#seen.tenants(), ...this.#since.tenants(), tenantId]).size;
  }

  /** Bytes ingested per second; null if unknown. Without a tenant, the total. */
  rate(tenantId: TenantId | '' = ''): number | null {
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
    const note = (name: TenantId | '', before: number, added: number, after: number): void => {
      if (before + added < after) return; // another process added more than was ingested
      const rate = (before + added - after) / elapsed;
      const known = this.#rates.get(name);
      // If nothing is left, the actual rate may be higher.
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
  readonly #sums = new Map<TenantId, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(tenantId: TenantId, cost: number): void {
    this.#sums.set(tenantId, this.of(tenantId) + cost);
    this.#total += cost;
  }

  of(tenantId: TenantId): number {
    return this.#sums.get(tenantId) ?? 0;
  }

  tenants(): Iterable<TenantId> {
    return this.#sums.keys();
  }

  copy(): Tally {
    const copy = new Tally();
    for (const [tenantId, cost] of this.#sums) copy.add(tenantId, cost);
    return copy;
  }
}
