import { valueKind, type ValueKind } from './summary-metadata.ts';
import type { Wire } from './wire.ts';

/** Positions of the parts of one Summary.Value. One object is reused for all values. */
export class ValueScan {
  tagStart = 0;
  tagEnd = 0;
  kind: ValueKind = valueKind.none;
  dataStart = 0;
  dataEnd = 0;
  simple = 0;
  /** -1 if the value has no metadata. */
  metaStart = -1;
  metaEnd = 0;

  /**
   * Reads the value at `[start, end)` of `wire`. Throws a `Refusal` if its fields are malformed;
   * does not look inside them.
   */
  read(wire: Wire, start: number, end: number): void {
    this.tagStart = this.tagEnd = start;
    this.kind = valueKind.none;
    this.metaStart = -1;
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      switch (key) {
        case 0x0a:
          this.tagEnd = wire.lengthEnd(end);
          this.tagStart = wire.pos;
          wire.pos = this.tagEnd;
          break;
        case 0x15:
          this.kind = valueKind.simple;
          this.simple = wire.view.getFloat32(wire.fixed(4, end), true);
          break;
        case 0x1a:
          // An "obsolete old style histogram": no reader supports it, but it is the value (in a
          // oneof, the last field counts).
          this.kind = valueKind.none;
          wire.skip(key, end);
          break;
        case 0x22:
          this.#data(wire, valueKind.image, end);
          break;
        case 0x2a:
          this.#data(wire, valueKind.histogram, end);
          break;
        case 0x32:
          this.#data(wire, valueKind.audio, end);
          break;
        case 0x42:
          this.#data(wire, valueKind.tensor, end);
          break;
        case 0x4a:
          this.metaEnd = wire.lengthEnd(end);
          this.metaStart = wire.pos;
          wire.pos = this.metaEnd;
          break;
        default:
          wire.skip(key, end);
      }
    }
  }

  /**
   * Reads the common tensor of a scalar: float32 or float64, no dimensions, one number in
   * `tensor_content` or in its list, packed or not, in the order that all writers use. Sets
   * `simple` and returns true; false means that the tensor is anything else and must be read in
   * full.
   */
  readPlainScalar(wire: Wire): boolean {
    const buf = wire.buf;
    let at = this.dataStart;
    const end = this.dataEnd;
    if (end - at < 7 || buf[at] !== 0x08) return false;
    const type = buf[at + 1]!;
    at += 2;
    if (buf[at] === 0x12 && buf[at + 1] === 0) at += 2;
    const key = buf[at]!;
    const bytes = end - at;
    if (type === 1) {
      if (bytes === 5 ? key !== 0x2d : bytes !== 6 || buf[at + 1] !== 4 || (key !== 0x2a && key !== 0x22)) return false;
      this.simple = wire.view.getFloat32(end - 4, true);
    } else if (type === 2) {
      if (bytes === 9 ? key !== 0x31 : bytes !== 10 || buf[at + 1] !== 8 || (key !== 0x32 && key !== 0x22)) return false;
      this.simple = wire.view.getFloat64(end - 8, true);
    } else return false;
    return true;
  }

  #data(wire: Wire, kind: ValueKind, end: number): void {
    this.kind = kind;
    this.dataEnd = wire.lengthEnd(end);
    this.dataStart = wire.pos;
    wire.pos = this.dataEnd;
  }
}

/** Field numbers in Event's oneof `what` that this code reads. */
export const eventField = { graphDef: 4, summary: 5, logMessage: 6, sessionLog: 7, taggedRunMetadata: 8 } as const;

/** Positions of the fields of one Event. One object is reused for all events. */
export class EventScan {
  wallTime = 0;
  stepLow = 0;
  stepHigh = 0;
  /** Field number of the oneof `what`; 0 for none. */
  what = 0;
  /** The range of `what`, if it is a message or bytes. */
  start = 0;
  end = 0;
  /** Further ranges of the summary, in pairs: repeated fields are merged. Usually null. */
  more: number[] | null = null;

  /**
   * Reads the event at `[start, end)` of `wire`: {1 wall_time; 2 step; oneof 3–9; 10
   * source_metadata}. Throws a `Refusal` if it is malformed.
   */
  read(wire: Wire, start: number, end: number): void {
    this.wallTime = 0;
    this.stepLow = 0;
    this.stepHigh = 0;
    this.what = 0;
    this.more = null;
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x09) this.wallTime = wire.view.getFloat64(wire.fixed(8, end), true);
      else if (key === 0x10) {
        wire.varint(end);
        this.stepLow = wire.low;
        this.stepHigh = wire.high;
      } else if (key >= 0x1a && key <= 0x4a && (key & 7) === 2) this.#what(wire, key >>> 3, end);
      else wire.skip(key, end);
    }
  }

  #what(wire: Wire, field: number, end: number): void {
    const last = wire.lengthEnd(end);
    if (field === this.what) (this.more ??= []).push(this.start, this.end);
    else this.more = null;
    this.what = field;
    this.start = wire.pos;
    this.end = last;
    wire.pos = last;
  }
}
