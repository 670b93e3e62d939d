import { type Hole, holeBytes, value4Hole, value8Hole, wallHole } from './find-holes.ts';
import { framingBytes, headerBytes, putHeader } from './framing.ts';

/**
 * A record with holes. Records that have the same tag, and steps with the same number of bytes,
 * differ only in the holes.
 */
export class Template {
  readonly holes: readonly Hole[];
  readonly dataLength: number;
  /** A whole record; zeros in the holes and in the data checksum. */
  readonly record: Uint8Array;
  /** Positions from the start of the record; -1 if there is none. */
  readonly wallAt: number;
  readonly stepAt: number;
  readonly stepBytes: number;
  /** The smallest step that does not fit in its varint. */
  readonly stepLimit: number;
  /** Positions of values, and their widths: 4 or 8. */
  readonly valueAt: Int32Array;
  readonly valueBytes: Int32Array;
  /** Bytes of one record's values. */
  readonly valuesWidth: number;
  /** Starts and ends of the parts between the holes in the record's data. */
  readonly #fixed: Int32Array;
  /** Number of records with this form. */
  count = 0;
  /** Where the template's values begin among all values. */
  valuesStart = 0;
  /** Number of records decoded so far. */
  decoded = 0;

  /** `data`: the bytes of the record without framing; the bytes in holes do not matter. */
  constructor(data: Uint8Array, holes: readonly Hole[]) {
    this.holes = holes;
    this.dataLength = data.length;
    this.record = new Uint8Array(framingBytes + data.length);
    this.record.set(data, headerBytes);
    putHeader(this.record, 0, data.length);
    const fixed: number[] = [];
    let from = headerBytes;
    for (const { at, kind } of holes) {
      const start = headerBytes + at;
      if (start > from) fixed.push(from, start);
      from = start + holeBytes(kind);
      this.record.fill(0, start, from);
    }
    if (headerBytes + data.length > from) fixed.push(from, headerBytes + data.length);
    this.#fixed = Int32Array.from(fixed);
    const wall = holes.find(({ kind }) => kind === wallHole);
    const step = holes.find(({ kind }) => isStep(kind));
    const values = holes.filter(({ kind }) => kind >= value4Hole);
    this.wallAt = wall ? headerBytes + wall.at : -1;
    this.stepAt = step ? headerBytes + step.at : -1;
    this.stepBytes = step?.kind ?? 0;
    this.stepLimit = 2 ** (7 * this.stepBytes);
    this.valueAt = Int32Array.from(values, ({ at }) => headerBytes + at);
    this.valueBytes = Int32Array.from(values, ({ kind }) => holeBytes(kind));
    this.valuesWidth = this.valueBytes.reduce((sum, width) => sum + width, 0);
  }

  /** Whether the record at `start`, of this length, has this form. */
  fits(bytes: Uint8Array, start: number): boolean {
    const fixed = this.#fixed;
    const { record } = this;
    for (let i = 0; i < fixed.length; i += 2) {
      const end = fixed[i + 1]!;
      for (let at = fixed[i]!; at < end; at++) if (record[at] !== bytes[start + at]) return false;
    }
    if (this.stepAt >= 0) {
      let at = start + this.stepAt;
      for (const last = at + this.stepBytes - 1; at < last; at++) if (bytes[at]! < 128) return false;
      if (bytes[at]! >= 128) return false;
    }
    return true;
  }

  /** The step of a record with this form: the value of its varint, which can have any length. */
  stepOf(bytes: Uint8Array, start: number): number {
    const at = start + this.stepAt;
    if (this.stepBytes <= 4) {
      let step = 0;
      for (let i = this.stepBytes - 1; i >= 0; i--) step = (step << 7) | (bytes[at + i]! & 127);
      return step;
    }
    let step = 0;
    for (let i = this.stepBytes - 1; i >= 0; i--) step = step * 128 + (bytes[at + i]! & 127);
    return step;
  }

  /** Writes a step below the limit as a varint with exactly the template's number of bytes. */
  putStep(bytes: Uint8Array, start: number, step: number): void {
    let at = start + this.stepAt;
    const last = at + this.stepBytes - 1;
    for (; at < last; at++) {
      bytes[at] = (step % 128) | 128;
      step = Math.floor(step / 128);
    }
    bytes[last] = step;
  }
}

export function isStep(kind: number): boolean {
  return kind !== wallHole && kind !== value4Hole && kind !== value8Hole;
}
