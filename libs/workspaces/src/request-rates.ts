import { type Taken, TokenBucket } from './token-bucket.ts';

/** Tokens that several processes share. */
export interface SharedTokens {
  /**
   * Takes at most `wanted` tokens from the bucket `name`, whose capacity and refill rate are
   * `perMinute`. Rejects quickly if the bucket is unavailable.
   */
  take(name: string, wanted: number, perMinute: number): Promise<Taken>;
}

/** Settings of {@link RequestRates}. */
export interface RequestRatesOptions {
  /** If absent, this process counts alone. */
  readonly shared?: SharedTokens | null;
  /** Called once for each outage of the shared tokens. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Each fetch gets the tokens for this fraction of a minute, so a busy workspace needs ten fetches
 * per second. A workspace with a small quota needs one fetch for each request.
 */
const fetchesPerMinute = 600;
/** After a failure, this process counts alone for this long. */
const downMs = 2_000;
const maxBuckets = 10_000;
/**
 * Maximum suggested delay because of other clients: otherwise, clients that ignore the delay would
 * starve clients that respect it.
 */
const longestTurnMs = 10_000;

/**
 * Counts requests of each workspace against its quota, independently of other workspaces. With
 * shared tokens, all processes together stay within the quota. Tokens are fetched in small batches,
 * and a process's unused tokens are lost, so the quota is never exceeded. If shared tokens are
 * unavailable, each process counts alone, so the service continues.
 *
 * Rejected clients get staggered retry times, at the rate of new tokens. Otherwise, all of them
 * would retry at the same time, and all but one would be rejected again.
 */
export class RequestRates {
  readonly #shared: SharedTokens | null;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #stocks = new Map<string, Stock>();
  /** For each workspace, when the next rejected client may retry. */
  readonly #turns = new Map<string, number>();
  #downUntil = -Infinity;
  #reported = false;

  constructor({ shared = null, onError = () => undefined, now = () => performance.now() }: RequestRatesOptions = {}) {
    this.#shared = shared;
    this.#onError = onError;
    this.#now = now;
  }

  /** Takes one request from the workspace's quota. If `granted` is 0, the client has to wait. */
  async take(key: string, perMinute: number): Promise<Taken> {
    const taken = await this.#take(key, perMinute);
    return taken.granted > 0 ? taken : { ...taken, waitMs: this.#nextTurn(key, perMinute, taken.waitMs) };
  }

  /** `waitMs`: until the next token. */
  #nextTurn(key: string, perMinute: number, waitMs: number): number {
    const now = this.#now();
    if (!this.#turns.has(key) && this.#turns.size >= maxBuckets) for (const [id, at] of this.#turns) if (at <= now) this.#turns.delete(id);
    const turn = Math.max(now + waitMs, Math.min(this.#turns.get(key) ?? 0, now + longestTurnMs));
    this.#turns.set(key, turn + 60_000 / perMinute);
    return Math.ceil(turn - now);
  }

  async #take(key: string, perMinute: number): Promise<Taken> {
    if (!this.#shared || this.#now() < this.#downUntil) return this.#takeHere(key, perMinute);
    try {
      return await this.#takeShared(this.#shared, key, perMinute);
    } catch (error) {
      this.#downUntil = this.#now() + downMs;
      if (!this.#reported) this.#onError(error);
      this.#reported = true;
      return this.#takeHere(key, perMinute);
    }
  }

  #takeHere(key: string, perMinute: number): Taken {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= maxBuckets) for (const [id, other] of this.#buckets) if (other.isFull(now)) this.#buckets.delete(id);
      bucket = new TokenBucket(perMinute, now);
      this.#buckets.set(key, bucket);
    }
    return bucket.take(1, perMinute, now);
  }

  async #takeShared(shared: SharedTokens, key: string, perMinute: number): Promise<Taken> {
    let stock = this.#stocks.get(key);
    if (!stock) {
      if (this.#stocks.size >= maxBuckets) this.#stocks.clear(); // their tokens are lost, which is acceptable
      stock = { tokens: 0, left: 0, fetching: null };
      this.#stocks.set(key, stock);
    }
    // Requests that wait for a fetch share its tokens; requests that get none fetch again.
    while (stock.tokens === 0) {
      stock.fetching ??= this.#fetch(shared, stock, key, perMinute);
      const waitMs = await stock.fetching;
      if (waitMs > 0) return { granted: 0, left: 0, waitMs };
    }
    stock.tokens--;
    return { granted: 1, left: stock.left + stock.tokens, waitMs: 0 };
  }

  /** Returns how long to wait if there were no tokens; otherwise 0. */
  async #fetch(shared: SharedTokens, stock: Stock, key: string, perMinute: number): Promise<number> {
    try {
      const wanted = Math.max(1, Math.floor(perMinute / fetchesPerMinute));
      const { granted, left, waitMs } = await shared.take(key, wanted, perMinute);
      this.#reported = false;
      stock.tokens += granted;
      stock.left = left;
      return granted > 0 ? 0 : Math.max(1, waitMs);
    } finally {
      stock.fetching = null;
    }
  }
}

/** Tokens taken in advance. */
interface Stock {
  tokens: number;
  /** Number of tokens that remain in the bucket. */
  left: number;
  fetching: Promise<number> | null;
}
