import { damaged } from './bad-block.ts';
import { VarintReader, VarintWriter } from './varint.ts';

/** Codes of items in the order of a block. Templates follow as `firstTemplate + index`. */
export const rawBytes = 0;
export const plainRecord = 1;
export const firstTemplate = 2;

/*
 * The order of items, stored as the number of items that follow the previous pattern (each item is
 * followed by the same item as last time), then the item that deviates, and so on. Logs usually
 * repeat their tags in the same order, so this needs a few bytes.
 */

/** Writes the order of items. */
export class OrderWriter {
  readonly #out = new VarintWriter(1024);
  readonly #next: Followers;
  #run = 0;
  #last = rawBytes;

  constructor(maxTemplates: number) {
    this.#next = new Followers(maxTemplates);
  }

  /** The template that followed the last item the previous time, or -1. */
  get expected(): number {
    return this.#next.of[this.#last]! - firstTemplate;
  }

  template(index: number): void {
    const item = firstTemplate + index;
    if (this.#next.of[this.#last] === item) this.#run++;
    else {
      this.#other(item);
      this.#next.of[this.#last] = item;
    }
    this.#last = item;
  }

  /** `rawBytes` or `plainRecord`, with its length. */
  literal(item: number, length: number): void {
    this.#other(item);
    this.#out.put(length);
    this.#last = item;
  }

  finish(): Uint8Array {
    if (this.#run > 0) this.#out.put(this.#run);
    return this.#out.written;
  }

  #other(item: number): void {
    this.#out.put(this.#run);
    this.#out.put(item);
    this.#run = 0;
  }
}

/** Reads what {@link OrderWriter} wrote. Throws `BadBlock`. */
export class OrderReader {
  readonly #source: VarintReader;
  readonly #next: Followers;
  readonly #items: number;
  #run = 0;
  #runRead = false;
  #last = rawBytes;
  /** Length of the last item if it was a literal. */
  length = 0;

  constructor(source: VarintReader, templates: number) {
    this.#source = source;
    this.#next = new Followers(templates);
    this.#items = firstTemplate + templates;
  }

  /** The next item, or -1 at the end. */
  next(): number {
    if (this.#run > 0) {
      this.#run--;
      const item = this.#next.of[this.#last]!;
      if (item === 0) throw damaged('its order refers to a missing record');
      this.#last = item;
      return item;
    }
    return this.#other();
  }

  #other(): number {
    const source = this.#source;
    if (source.atEnd) return -1;
    if (!this.#runRead) {
      this.#run = source.next();
      this.#runRead = true;
      if (this.#run > 0) return this.next();
      if (source.atEnd) return -1;
    }
    this.#runRead = false;
    const item = source.next();
    if (item >= this.#items) throw damaged('its order refers to an unknown form of records');
    if (item < firstTemplate) this.length = source.next();
    else this.#next.of[this.#last] = item;
    this.#last = item;
    return item;
  }
}

/** By item, the template that followed it last; 0 if there is none yet. */
class Followers {
  readonly of: Uint16Array;

  constructor(templates: number) {
    this.of = new Uint16Array(firstTemplate + templates);
  }
}
