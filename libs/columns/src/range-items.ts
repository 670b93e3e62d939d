import { damaged } from './bad-block.ts';
import { framingBytes, headerBytes, putFooter, putHeader, putUint32 } from './framing.ts';
import { firstTemplate, OrderReader, plainRecord, rawBytes } from './record-order.ts';
import { splitSections } from './sections.ts';
import type { Template } from './template.ts';
import { readTemplates } from './template-table.ts';
import { unzigzag, VarintReader } from './varint.ts';
import { WallTimeReader } from './wall-times.ts';

// Little-endian, like every platform on which Node runs.
const halves = new Uint32Array(2);
const asFloat64 = new Float64Array(halves.buffer);
const word = new Uint32Array(1);
const asFloat32 = new Float32Array(word.buffer);

/**
 * The items of a packed range, one after another: records of a template, other records, and bytes
 * between records. Throws `BadBlock` if the parts of the range are inconsistent.
 */
export class RangeItems {
  readonly #packed: Uint8Array;
  readonly #templates: readonly Template[];
  readonly #order: OrderReader;
  readonly #steps: VarintReader;
  readonly #walls: WallTimeReader;
  readonly #values: number;
  #literals: number;
  #item = -1;
  #literal = 0;
  #value = 0;

  /** The template of this item; null if it has none. */
  template: Template | null = null;
  /** The index of the template in the range. */
  templateIndex = -1;
  /** Bytes of this item in the range, with framing. */
  bytes = 0;
  /** The step, if the template has one. */
  step = 0;

  constructor(packed: Uint8Array) {
    const parts = splitSections(packed);
    this.#packed = packed;
    this.#templates = readTemplates(new VarintReader(packed, parts.templates, parts.order));
    const valueBytes = this.#templates.reduce((sum, { count, valuesWidth }) => sum + count * valuesWidth, 0);
    if (valueBytes !== parts.literals - parts.values) throw damaged('it has the wrong number of values');
    this.#order = new OrderReader(new VarintReader(packed, parts.order, parts.steps), this.#templates.length);
    this.#steps = new VarintReader(packed, parts.steps, parts.walls);
    this.#walls = new WallTimeReader(packed, parts.walls, parts.wallCount);
    this.#values = parts.values;
    this.#literals = parts.literals;
  }

  /**
   * Moves to the next item. Returns false at the end of the range, once all its parts have been
   * used.
   */
  next(): boolean {
    const item = (this.#item = this.#order.next());
    if (item >= firstTemplate) {
      const template = this.#templates[item - firstTemplate]!;
      if (template.decoded === template.count) throw damaged('a value is missing');
      if (template.wallAt >= 0) {
        if (this.#walls.left === 0) throw damaged('a wall time is missing');
        this.#walls.next();
      }
      if (template.stepAt >= 0) {
        this.step += unzigzag(this.#steps.next());
        if (!(this.step >= 0) || this.step >= template.stepLimit) throw damaged('a step does not fit its record');
      }
      this.#value = this.#values + template.valuesStart + template.decoded++;
      this.template = template;
      this.templateIndex = item - firstTemplate;
      this.bytes = template.record.length;
      return true;
    }
    this.template = null;
    if (item < 0) {
      this.#checkEnd();
      return false;
    }
    const { length } = this.#order;
    this.#literal = this.#literals;
    this.#literals += length;
    if (this.#literals > this.#packed.length) throw damaged('bytes are missing');
    this.bytes = item === plainRecord ? length + framingBytes : length;
    return true;
  }

  /** The data of a record without a template; null for bytes between records. */
  get data(): Uint8Array | null {
    return this.#item === plainRecord ? this.#packed.subarray(this.#literal, this.#literals) : null;
  }

  /** The wall time, if the template has one. */
  get wallTime(): number {
    halves[0] = this.#walls.low;
    halves[1] = this.#walls.high;
    return asFloat64[0]!;
  }

  /** The first value as a float32, if the template has a value of four bytes there. */
  get float32(): number {
    const packed = this.#packed;
    const { count } = this.template!;
    const at = this.#value;
    word[0] = packed[at]! | (packed[at + count]! << 8) | (packed[at + 2 * count]! << 16) | (packed[at + 3 * count]! << 24);
    return asFloat32[0]!;
  }

  /** Writes the bytes of this item to `target`, where they must fit. */
  restore(target: Uint8Array, at: number): void {
    if (this.template !== null) this.#restoreRecord(this.template, target, at);
    else {
      const literal = this.#packed.subarray(this.#literal, this.#literals);
      if (this.#item === rawBytes) target.set(literal, at);
      else {
        putHeader(target, at, literal.length);
        target.set(literal, at + headerBytes);
        putFooter(target, at, literal.length);
      }
    }
  }

  #restoreRecord(template: Template, target: Uint8Array, at: number): void {
    const { record, wallAt, stepAt, valueAt, valueBytes, count } = template;
    const { length } = record;
    for (let i = 0; i < length; i++) target[at + i] = record[i]!;
    if (wallAt >= 0) {
      putUint32(target, at + wallAt, this.#walls.low);
      putUint32(target, at + wallAt + 4, this.#walls.high);
    }
    if (stepAt >= 0) template.putStep(target, at, this.step);
    const packed = this.#packed;
    let from = this.#value;
    for (let v = 0; v < valueAt.length; v++) {
      const to = at + valueAt[v]!;
      const width = valueBytes[v]!;
      for (let b = 0; b < width; b++) {
        target[to + b] = packed[from]!;
        from += count;
      }
    }
    putFooter(target, at, template.dataLength);
  }

  #checkEnd(): void {
    if (
      this.#literals !== this.#packed.length ||
      !this.#steps.atEnd ||
      this.#walls.left > 0 ||
      this.#templates.some(({ count, decoded }) => count !== decoded)
    )
      throw damaged('its parts do not belong together');
  }
}
