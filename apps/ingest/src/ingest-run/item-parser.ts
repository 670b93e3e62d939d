import type { RangeItems, Template } from '#columns';
import type { StoredItems } from '#originals';
import type { PointCollector, ScalarForm } from '#points';
import type { RecordReader, RecordVisitor } from '#records';

/** The length and its checksum, which precede a record's data. */
const headerBytes = 12;

/** The functions and objects that an {@link ItemParser} uses to parse a range. */
export interface ItemParserParts {
  readonly reader: RecordReader;
  readonly collector: PointCollector;
  /** Whether the next record must be passed to `visit` as bytes. */
  readonly needsBytes: () => boolean;
  /** Reads a record. Returns whether to stop. */
  readonly visit: (buf: Uint8Array, start: number, end: number, offset: number) => boolean;
  /** Whether a record may be read. Called once for each record that `visit` does not receive. */
  readonly admits: (offset: number, dataBytes: number) => boolean;
  /** Whether to stop. Called after each record that `visit` does not receive. */
  readonly isFull: (offset: number, dataBytes: number) => boolean;
}

/**
 * Reads the records in a block of columns, with the same result as reading their bytes. Scalars go
 * directly from the columns to the collector; everything else is converted to bytes first.
 */
export class ItemParser {
  readonly #parts: ItemParserParts;
  readonly #visit: RecordVisitor;
  #full = false;

  constructor(parts: ItemParserParts) {
    this.#parts = parts;
    this.#visit = (buf, start, end, offset) => (this.#full = parts.visit(buf, start, end, offset));
  }

  /**
   * Returns how many bytes of the range were read. This is all of them, unless the batch is full or
   * the file has ended.
   */
  read({ items, length }: StoredItems): number {
    const { reader, needsBytes } = this.#parts;
    /** By template. Undefined if the template is unknown or not one of plain scalars. */
    const forms: (ScalarForm | undefined)[] = [];
    let read = 0;
    while (!this.#full && reader.ended === null && items.next()) {
      const { template, data, bytes } = items;
      if (!reader.isAtRecord || needsBytes() || (template === null && data === null)) {
        read += reader.push(restored(items), this.#visit);
        continue;
      }
      const { offset } = reader;
      reader.pass(bytes);
      read += bytes;
      if (template !== null) this.#template(items, template, offset, forms);
      else this.#visit(data!, 0, data!.length, offset);
    }
    // Bytes after damage that ends a file count as read.
    return reader.ended === null ? read : length;
  }

  #template(items: RangeItems, template: Template, offset: number, forms: (ScalarForm | undefined)[]): void {
    const { collector, admits, isFull } = this.#parts;
    const { dataLength } = template;
    if (admits(offset, dataLength)) {
      const form = forms[items.templateIndex];
      if (form !== undefined) collector.scalar(form, items.step, items.wallTime, items.float32);
      else {
        const learned = collector.learn(restored(items), headerBytes, headerBytes + dataLength, offset);
        if (learned !== null && fits(template, learned)) forms[items.templateIndex] = learned;
      }
    }
    this.#full = isFull(offset, dataLength);
  }
}

/** An item's bytes in their own buffer, because the collector may keep views of them. */
function restored(items: RangeItems): Uint8Array {
  const bytes = Buffer.allocUnsafe(items.bytes);
  items.restore(bytes, 0);
  return bytes;
}

/**
 * Whether exactly the parts of the form vary. Our encoder need not have written the block: a
 * template may have holes anywhere, or a step among the bytes that all of its records share.
 */
function fits({ wallAt, stepAt, valueAt, valueBytes }: Template, form: ScalarForm): boolean {
  const data = headerBytes;
  return (
    wallAt === data + 1 &&
    stepAt === (form.hasStep ? data + 10 : -1) &&
    valueAt.length === 1 &&
    valueBytes[0] === 4 &&
    valueAt[0] === data + form.valueAt
  );
}
