import { type Taken, TokenBucket } from './token-bucket.ts';

/** Tokens that several processes share. */
export interface SharedTokens {
  /** Takes at most `wanted` tokens of the bucket `name`, which holds and gets `perMinute`. Rejects soon when it cannot be asked. */
  take(name: string, wanted: number, perMinute: number): Promise<Taken>;
}

/** Settings of {@link RequestRates}. */
export interface RequestRatesOptions {
  /** Absent: this process counts for itself. */
  readonly shared?: SharedTokens | null;
  /** Told once for each outage of what is shared. */
  readonly onError?: (error: unknown) => void;
  /** In milliseconds, of a clock that never goes back. */
  readonly now?: () => number;
}

/** Tokens are fetched for this part of a minute at once, so that a busy workspace needs ten fetches a second, and one with a small quota a fetch for each request. */
const fetchesPerMinute = 600;
/** After a failure this process counts for itself for so long. */
const awayMs = 2_000;
const maxBuckets = 10_000;
/** Nobody waits longer for the turns of others: those who do not wait for theirs would keep away those who do. */
const longestTurnMs = 10_000;

/**
 * Counts requests of each workspace against its quota. What one workspace uses is nothing to another. With shared tokens, all processes together
 * stay within the quota; they are taken in small stocks, and a stock that a process does not use up is lost, so the quota is never overrun.
 * When they cannot be asked, each process counts for itself: the service does not stand still for it.
 *
 * Those who are refused are told to come back one after the other, as fast as tokens come; otherwise all would come back at once, and all but one in vain.
 */
export class RequestRates {
  readonly #shared: SharedTokens | null;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #stocks = new Map<string, Stock>();
  /** From workspace to when the next one who is refused may come back. */
  readonly #turns = new Map<string, number>();
  #awayUntil = -Infinity;
  #told = false;

  constructor({ shared = null, onError = () => undefined, now = () => performance.now() }: RequestRatesOptions = {}) {
    this.#shared = shared;
    this.#onError = onError;
    this.#now = now;
  }

  /** Takes one request of the workspace's quota. `granted` 0: it has to wait. */
  async take(tenantId: string, perMinute: number): Promise<Taken> {
    const taken = await this.#take(tenantId, perMinute);
    return taken.granted > 0 ? taken : { ...taken, waitMs: this.#nextTurn(tenantId, perMinute, taken.waitMs) };
  }

  /** `waitMs`: until the next token comes. */
  #nextTurn(tenantId: string, perMinute: number, waitMs: number): number {
    const now = this.#now();
    if (!this.#turns.has(tenantId) && this.#turns.size >= maxBuckets)
      for (const [id, at] of this.#turns) if (at <= now) this.#turns.delete(id);
    const turn = Math.max(now + waitMs, Math.min(this.#turns.get(tenantId) ?? 0, now + longestTurnMs));
    this.#turns.set(tenantId, turn + 60_000 / perMinute);
    return Math.ceil(turn - now);
  }

  async #take(tenantId: string, perMinute: number): Promise<Taken> {
    if (!this.#shared || this.#now() < this.#awayUntil) return this.#takeHere(tenantId, perMinute);
    try {
      return await this.#takeShared(this.#shared, tenantId, perMinute);
    } catch (error) {
      this.#awayUntil = this.#now() + awayMs;
      if (!this.#told) this.#onError(error);
      this.#told = true;
      return this.#takeHere(tenantId, perMinute);
    }
  }

  #takeHere(tenantId: string, perMinute: number): Taken {
    const now = this.#now();
    let bucket = this.#buckets.get(tenantId);
    if (!bucket) {
      if (this.#buckets.size >= maxBuckets) for (const [id, other] of this.#buckets) if (other.isFull(now)) this.#buckets.delete(id);
      bucket = new TokenBucket(perMinute, now);
      this.#buckets.set(tenantId, bucket);
    }
    return bucket.take(1, perMinute, now);
  }

  async #takeShared(shared: SharedTokens, tenantId: string, perMinute: number): Promise<Taken> {
    let stock = this.#stocks.get(tenantId);
    if (!stock) {
      if (this.#stocks.size >= maxBuckets) this.#stocks.clear(); // what was in them is lost, as a stock may be
      stock = { tokens: 0, left: 0, fetching: null };
      this.#stocks.set(tenantId, stock);
    }
    // Those who wait for one fetch share it; who comes too late for its tokens fetches again.
    while (stock.tokens === 0) {
      stock.fetching ??= this.#fetch(shared, stock, tenantId, perMinute);
      const waitMs = await stock.fetching;
      if (waitMs > 0) return { granted: 0, left: 0, waitMs };
    }
    stock.tokens--;
    return { granted: 1, left: stock.left + stock.tokens, waitMs: 0 };
  }

  /** Gives how long to wait when there was nothing; 0 otherwise. */
  async #fetch(shared: SharedTokens, stock: Stock, tenantId: string, perMinute: number): Promise<number> {
    try {
      const wanted = Math.max(1, Math.floor(perMinute / fetchesPerMinute));
      const { granted, left, waitMs } = await shared.take(tenantId, wanted, perMinute);
      this.#told = false;
      stock.tokens += granted;
      stock.left = left;
      return granted > 0 ? 0 : Math.max(1, waitMs);
    } finally {
      stock.fetching = null;
    }
  }
}

/** Tokens that were taken in advance. */
interface Stock {
  tokens: number;
  /** What was left in the bucket when they were taken. */
  left: number;
  fetching: Promise<number> | null;
}
