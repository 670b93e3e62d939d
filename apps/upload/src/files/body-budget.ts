import type { TenantId } from '#model';

/** Bounds of a {@link BodyBudget}. */
export interface BodyBudgetOptions {
  readonly maxBytes: number;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/**
 * The fraction of the total that one workspace may use, so that some memory is always left for
 * other workspaces.
 */
const largestPart = 0.75;
/**
 * A body that is slower than this for at least this long is cut if other bodies wait for its
 * memory.
 */
const slowBytesPerSecond = 16 * 1024;
const slowAfterMs = 10_000;
const lookEveryMs = 1_000;

/**
 * Limits the memory of request bodies in this process. A body reserves memory as its bytes arrive.
 * When the budget or the workspace's share is used up, the body waits, and flow control holds back
 * the sender. Bodies of the workspace that uses the least memory are served first.
 *
 * One body at a time may exceed the budget, by at most the size of one body, so that bodies cannot
 * wait for each other forever. Slow bodies are cut while other bodies wait, the largest first, so
 * that slow senders cannot block memory.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #shares = new Set<Share>();
  readonly #byTenant = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #usedBytes = 0;
  #beyond: Share | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes, now = () => performance.now() }: BodyBudgetOptions) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** Bytes that all bodies currently use. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The share of one body. Callers must always release it. */
  share(tenantId: TenantId): BodyShare {
    const share: Share = { tenantId, cut: null, bytes: 0, receivingSince: null, receivedMs: 0 };
    this.#shares.add(share);
    return {
      receiving: (cut) => {
        share.cut = cut;
        share.receivingSince = cut ? this.#now() : null;
      },
      take: (bytes) => this.#take(share, bytes),
      giveBack: (bytes) => {
        this.#grant(share, -bytes);
        this.#serve();
      },
      [Symbol.dispose]: () => this.#release(share),
    };
  }

  #take(share: Share, bytes: number): Promise<void> | null {
    if (share === this.#beyond || (this.#waiting.length === 0 && this.#fits(share, bytes))) {
      this.#grant(share, bytes);
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (share.receivingSince !== null) share.receivedMs += this.#now() - share.receivingSince;
    share.receivingSince = null; // we are holding it back, so it does not count as slow
    this.#waiting.push({ share, bytes, resolve });
    this.#serve();
    return promise;
  }

  #fits({ tenantId }: Share, bytes: number): boolean {
    return this.#usedBytes + bytes <= this.#maxBytes && this.#heldBy(tenantId) + bytes <= this.#maxBytes * largestPart;
  }

  #heldBy(tenantId: TenantId): number {
    return this.#byTenant.get(tenantId) ?? 0;
  }

  #grant(share: Share, bytes: number): void {
    share.bytes += bytes;
    this.#usedBytes += bytes;
    this.#byTenant.set(share.tenantId, this.#heldBy(share.tenantId) + bytes);
  }

  #release(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.#usedBytes -= share.bytes;
    const left = this.#heldBy(share.tenantId) - share.bytes;
    if (left > 0) this.#byTenant.set(share.tenantId, left);
    else this.#byTenant.delete(share.tenantId);
    if (this.#beyond === share) this.#beyond = null;
    const mine = this.#waiting.findIndex((waiter) => waiter.share === share);
    if (mine >= 0) this.#waiting.splice(mine, 1)[0]!.resolve(); // its body is abandoned
    this.#serve();
  }

  #serve(): void {
    for (let next = this.#next(true); next; next = this.#next(true)) this.#let(next);
    if (!this.#beyond) {
      const next = this.#next(false);
      if (next) {
        this.#beyond = next.share;
        this.#let(next);
      }
    }
    if (this.#waiting.length === 0) {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
    } else {
      this.#timer ??= setTimeout(() => this.#look(), lookEveryMs).unref();
    }
  }

  /**
   * Finds the body that has waited longest, among those that fit, in the workspace that uses the
   * least memory.
   */
  #next(fitting: boolean): Waiter | null {
    let best: Waiter | null = null;
    for (const waiter of this.#waiting) {
      if (fitting && !this.#fits(waiter.share, waiter.bytes)) continue;
      if (!best || this.#heldBy(waiter.share.tenantId) < this.#heldBy(best.share.tenantId)) best = waiter;
    }
    return best;
  }

  #let(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    if (waiter.share.cut) waiter.share.receivingSince = this.#now();
    this.#grant(waiter.share, waiter.bytes);
    waiter.resolve();
  }

  /**
   * If any body is still waiting, cuts the slow body that uses the most memory, and checks again
   * later.
   */
  #look(): void {
    this.#timer = null;
    const slow = [...this.#shares].filter((share) => this.#isSlow(share)).toSorted((a, b) => b.bytes - a.bytes);
    slow[0]?.cut?.();
    this.#serve();
  }

  #isSlow({ bytes, receivingSince, receivedMs }: Share): boolean {
    if (bytes === 0 || receivingSince === null) return false;
    const ms = receivedMs + this.#now() - receivingSince;
    return ms >= slowAfterMs && bytes / (ms / 1_000) < slowBytesPerSecond;
  }
}

/** The reservation of one body in a {@link BodyBudget}, until it is disposed of. */
export interface BodyShare extends Disposable {
  /**
   * Call this when the body starts to arrive. `cut` aborts the body. Null if the body has arrived
   * or was abandoned.
   */
  receiving(cut: (() => void) | null): void;
  /**
   * Reserves memory for bytes that have arrived. Null if there is enough memory. Otherwise,
   * resolves when there is enough; until then, the body must be paused.
   */
  take(bytes: number): Promise<void> | null;
  /** Releases excess memory. */
  giveBack(bytes: number): void;
}

interface Share {
  readonly tenantId: TenantId;
  cut: (() => void) | null;
  bytes: number;
  /** Null while the body is held back, and after it has arrived. */
  receivingSince: number | null;
  receivedMs: number;
}

interface Waiter {
  readonly share: Share;
  readonly bytes: number;
  readonly resolve: () => void;
}
