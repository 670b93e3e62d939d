import type { Series } from './series.ts';

/** Prevents attackers from choosing tags that collide. Results do not depend on it. */
const seed = Math.floor(Math.random() * 0x1_0000_0000);

/**
 * A run's series by their tag bytes, looked up without creating a string. Open addressing, at most
 * half full.
 */
export class TagTable {
  #slots: (Series | null)[] = new Array<Series | null>(64).fill(null);
  #hashes = new Int32Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The series with the tag `buf[start, end)`, or null. */
  find(buf: Uint8Array, start: number, end: number): Series | null {
    const hash = hashOf(buf, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const series = this.#slots[slot]!;
      if (series === null) return null;
      if (this.#hashes[slot] === hash && hasTag(series, buf, start, end)) return series;
    }
  }

  /** Adds a series whose tag is not in the table. */
  add(series: Series): void {
    if (2 * (this.#size + 1) > this.#slots.length) this.#double();
    this.#insert(series, hashOf(series.tagBytes, 0, series.tagBytes.length));
    this.#size++;
  }

  #insert(series: Series, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== null) slot = (slot + 1) & mask;
    this.#slots[slot] = series;
    this.#hashes[slot] = hash;
  }

  #double(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Array<Series | null>(2 * slots.length).fill(null);
    this.#hashes = new Int32Array(2 * slots.length);
    slots.forEach((series, slot) => {
      if (series !== null) this.#insert(series, hashes[slot]!);
    });
  }
}

/** Whether the tag of `series` is `buf[start, end)`. */
export function hasTag(series: Series, buf: Uint8Array, start: number, end: number): boolean {
  const tag = series.tagBytes;
  if (tag.length !== end - start) return false;
  for (let i = 0; i < tag.length; i++) if (tag[i] !== buf[start + i]) return false;
  return true;
}

/** FNV-1a from a random start, with a final mix for the low bits. Signed 32-bit. */
function hashOf(buf: Uint8Array, start: number, end: number): number {
  let hash = seed ^ (end - start);
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ buf[i]!, 0x01000193) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
