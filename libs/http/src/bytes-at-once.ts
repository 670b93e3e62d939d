/**
 * Bounds the bytes of bodies that this process is reading, in total and to a quarter per workspace.
 */
export class BytesAtOnce {
  readonly #maxBytes: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Counts bytes that have arrived. Returns false if there are too many; the bytes still count
   * until they are released.
   */
  take(holder: string, bytes: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + bytes;
    this.#held.set(holder, held);
    this.#all += bytes;
    return this.#all <= this.#maxBytes && held <= this.#maxBytes / 4;
  }

  giveBack(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
    this.#all -= bytes;
  }
}
