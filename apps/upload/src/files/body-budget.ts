/**
 * Bounds the memory that request bodies take in this process. A body takes what arrives; when the budget is used up it waits, and its
 * sender is held back by flow control. So that bodies which all wait for one another do not stand still for ever, one body at a time, the one
 * that has waited longest, may go beyond the budget, by at most the size of one body.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #held = new Map<BodyShare, number>();
  readonly #waiting: { readonly share: BodyShare; readonly bytes: number; readonly resolve: () => void }[] = [];
  #usedBytes = 0;
  #beyond: BodyShare | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that all bodies hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The share of one body. It must be released, whatever happens to the body. */
  share(): BodyShare {
    const share: BodyShare = {
      take: (bytes) => this.#take(share, bytes),
      add: (bytes) => this.#grant(share, bytes),
      release: () => this.#release(share),
    };
    return share;
  }

  #take(share: BodyShare, bytes: number): Promise<void> | null {
    if (share === this.#beyond || (this.#waiting.length === 0 && this.#usedBytes + bytes <= this.#maxBytes)) {
      this.#grant(share, bytes);
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ share, bytes, resolve });
    this.#serve();
    return promise;
  }

  #grant(share: BodyShare, bytes: number): void {
    this.#usedBytes += bytes;
    this.#held.set(share, (this.#held.get(share) ?? 0) + bytes);
  }

  #release(share: BodyShare): void {
    this.#usedBytes -= this.#held.get(share) ?? 0;
    this.#held.delete(share);
    if (this.#beyond === share) this.#beyond = null;
    const mine = this.#waiting.findIndex((waiter) => waiter.share === share);
    if (mine >= 0) this.#waiting.splice(mine, 1)[0]!.resolve(); // its body is given up
    this.#serve();
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (this.#usedBytes + first.bytes > this.#maxBytes) {
        if (this.#beyond) return;
        this.#beyond = first.share;
      }
      this.#waiting.shift();
      this.#grant(first.share, first.bytes);
      first.resolve();
    }
  }
}

/** What one body holds of a {@link BodyBudget}. */
export interface BodyShare {
  /** Takes room for bytes that have arrived. Null: there was room. Else resolves when there is; until then the body takes no more. */
  take(bytes: number): Promise<void> | null;
  /** Takes room without waiting, for bytes that are there already. */
  add(bytes: number): void;
  /** Gives everything back. May be called more than once. */
  release(): void;
}
