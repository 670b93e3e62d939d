/** Bounds the bytes of bodies that are being read in this process, in all and for each workspace, so that a quarter of them leaves room for others. */
export class BytesAtOnce {
  readonly #maxBytes: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts bytes that have arrived. False: they are too many; they count until they are given back all the same. */
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
