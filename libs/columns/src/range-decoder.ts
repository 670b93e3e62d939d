import { damaged } from './bad-block.ts';
import { RangeItems } from './range-items.ts';

/**
 * Restores the bytes of a packed range, some records at a time, so that a server can do other work
 * in between. Throws `BadBlock` if `packed` does not hold exactly `length` bytes.
 */
export class RangeDecoder {
  /** Complete once {@link step} has returned true. */
  readonly bytes: Buffer;
  readonly #items: RangeItems;
  #written = 0;

  constructor(packed: Uint8Array, length: number) {
    this.#items = new RangeItems(packed);
    this.bytes = Buffer.allocUnsafeSlow(length);
  }

  /**
   * Restores up to `items` records, or pieces between records. Returns true if that was the last
   * one.
   */
  step(items: number): boolean {
    const range = this.#items;
    for (let i = 0; i < items; i++) {
      if (!range.next()) {
        if (this.#written !== this.bytes.length) throw damaged('it has fewer bytes than declared');
        return true;
      }
      const end = this.#written + range.bytes;
      if (end > this.bytes.length) throw damaged('it has more bytes than declared');
      range.restore(this.bytes, this.#written);
      this.#written = end;
    }
    return false;
  }
}
