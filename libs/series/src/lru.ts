/** A cache that evicts the least recently used values when their total size exceeds a maximum. */
export class Lru<Value> {
  readonly #max: number;
  readonly #sizeOf: (value: Value) => number;
  /** Least recently used first. */
  readonly #values = new Map<string, Value>();
  #size = 0;

  /** `max` and `sizeOf` have the same unit. */
  constructor(max: number, sizeOf: (value: Value) => number) {
    this.#max = max;
    this.#sizeOf = sizeOf;
  }

  /** The result is shared: do not modify it. */
  get(key: string): Value | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found;
  }

  /** Replaces the key's value. A value larger than the maximum is not kept. */
  put(key: string, value: Value): void {
    this.#remove(key);
    if (this.#sizeOf(value) > this.#max) return;
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#max) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.#sizeOf(value);
  }
}
