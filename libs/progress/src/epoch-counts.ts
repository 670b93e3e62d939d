/**
 * The number of outstanding events at each epoch, and the smallest epoch that has any. An update
 * costs the same with one open epoch as with ten thousand. Counts are in a hash table. Epochs open
 * nearly in order, so they are appended to a sorted list and removed from its front.
 */
export class EpochCounts {
  readonly #counts = new Map<number, number>();
  /**
   * From `#head` on: every epoch with a positive count, in ascending order. Other epochs may remain
   * among them until they reach the front.
   */
  #epochs: number[] = [];
  #head = 0;
  #positive = 0;

  /** The smallest epoch with a positive count. Infinity if there is none. */
  min = Infinity;

  /**
   * Adds to an epoch's count. A count may be temporarily negative, because the end of an event may
   * be seen before its start.
   */
  add(epoch: number, diff: number): void {
    const before = this.#counts.get(epoch) ?? 0;
    const after = before + diff;
    if (after === 0) this.#counts.delete(epoch);
    else this.#counts.set(epoch, after);
    if (before <= 0 && after > 0) this.#open(epoch);
    else if (before > 0 && after <= 0) this.#close(epoch);
  }

  count(epoch: number): number {
    return this.#counts.get(epoch) ?? 0;
  }

  /** Whether the count of every epoch is zero. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  entries(): Iterable<[epoch: number, count: number]> {
    return this.#counts.entries();
  }

  #open(epoch: number): void {
    this.#positive++;
    if (epoch < this.min) this.min = epoch;
    const epochs = this.#epochs;
    if (epochs.length === this.#head || epochs.at(-1)! < epoch) epochs.push(epoch);
    else {
      const at = this.#placeOf(epoch);
      if (epochs[at] !== epoch) epochs.splice(at, 0, epoch);
    }
  }

  #close(epoch: number): void {
    this.#positive--;
    if (epoch === this.min) {
      while (this.#head < this.#epochs.length && this.count(this.#epochs[this.#head]!) <= 0) this.#head++;
      this.min = this.#epochs[this.#head] ?? Infinity;
    }
    // Removes at least half of the list, so each epoch is copied twice on average, regardless of
    // the list's length.
    if (this.#epochs.length > 2 * this.#positive + 64) this.#tidy();
  }

  #tidy(): void {
    this.#epochs = this.#epochs.filter((epoch, at) => at >= this.#head && this.count(epoch) > 0);
    this.#head = 0;
  }

  /** The index of an epoch in the list, or the index where it would be inserted. */
  #placeOf(epoch: number): number {
    let [low, high] = [this.#head, this.#epochs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#epochs[middle]! < epoch) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
