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

  /** Counts bytes that have arrived. False: too many; they still count until they are released. */
  take(tenantId: string, bytes: number): boolean {
    const held = (this.#held.get(tenantId) ?? 0) + bytes;
    this.#held.set(tenantId, held);
    this.#all += bytes;
    return this.#all <= this.#maxBytes && held <= this.#maxBytes / 4;
  }

  giveBack(tenantId: string, bytes: number): void {
    const held = (this.#held.get(tenantId) ?? 0) - bytes;
    if (held > 0) this.#held.set(tenantId, held);
    else this.#held.delete(tenantId);
    this.#all -= bytes;
  }
}
