import { crc32c, maskedCrc } from '#records';
import { headerBytes, framingBytes, recordLength, uint32 } from './framing.ts';
import { joinSections } from './sections.ts';
import { OrderWriter, plainRecord, rawBytes } from './record-order.ts';
import type { Template } from './template.ts';
import { maxTemplates, TemplateTable } from './template-table.ts';
import { VarintWriter, zigzag } from './varint.ts';
import { WallTimeWriter } from './wall-times.ts';

/**
 * Packs a range of an event file: see the format in `sections.ts`. The range can start and end
 * inside a record, and can contain damage or anything else.
 *
 * These rules guarantee that the bytes can be restored. A record is stored without its framing only
 * if its length has at most 32 bits and both checksums are the recomputed ones. A record is stored
 * by a template only if every byte outside the holes is the template's and its step is a varint of
 * the template's length. All other bytes are stored unchanged.
 */
export function packRange(bytes: Uint8Array): Uint8Array {
  return new Packer(bytes).pack();
}

class Packer {
  readonly #bytes: Uint8Array;
  readonly #table = new TemplateTable();
  readonly #order = new OrderWriter(maxTemplates);
  readonly #steps = new VarintWriter(4096);
  readonly #walls: WallTimeWriter;
  /** The records with templates: their positions and templates. */
  readonly #starts: Int32Array;
  readonly #templates: Uint16Array;
  #count = 0;
  /** Bytes kept unchanged: pairs of starts and ends in the range. */
  readonly #literals: number[] = [];
  #step = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const max = Math.ceil(bytes.length / framingBytes);
    this.#starts = new Int32Array(max);
    this.#templates = new Uint16Array(max);
    this.#walls = new WallTimeWriter(max);
  }

  pack(): Uint8Array {
    const bytes = this.#bytes;
    /** Start of the bytes outside complete records. */
    let raw = 0;
    let at = 0;
    while (at < bytes.length) {
      const length = recordLength(bytes, at);
      if (length < 0) {
        at = nextRecord(bytes, at + 1);
        continue;
      }
      const dataEnd = at + headerBytes + length;
      const next = dataEnd + 4;
      if (next > bytes.length) break;
      if (uint32(bytes, dataEnd) === maskedCrc(crc32c(0, bytes, at + headerBytes, dataEnd))) {
        if (at > raw) this.#literal(rawBytes, raw, at);
        this.#record(at, length);
        raw = next;
      }
      at = next;
    }
    if (bytes.length > raw) this.#literal(rawBytes, raw, bytes.length);
    return this.#join();
  }

  #literal(item: number, start: number, end: number): void {
    this.#order.literal(item, end - start);
    this.#literals.push(start, end);
  }

  #record(at: number, length: number): void {
    const bytes = this.#bytes;
    const { list } = this.#table;
    let index = this.#order.expected;
    let template = index < 0 ? undefined : list[index];
    if (!template || template.dataLength !== length || !template.fits(bytes, at)) {
      index = this.#table.find(bytes, at, length);
      template = list[index];
      // The code that guessed the holes does not check every byte.
      if (!template?.fits(bytes, at)) {
        this.#literal(plainRecord, at + headerBytes, at + headerBytes + length);
        return;
      }
    }
    this.#order.template(index);
    template.count++;
    if (template.wallAt >= 0) this.#walls.put(bytes, at + template.wallAt);
    if (template.stepAt >= 0) {
      const step = template.stepOf(bytes, at);
      this.#steps.put(zigzag(step - this.#step));
      this.#step = step;
    }
    this.#starts[this.#count] = at;
    this.#templates[this.#count++] = index;
  }

  #join(): Uint8Array {
    const { list } = this.#table;
    const templates = new VarintWriter(4096);
    this.#table.write(templates);
    return joinSections({
      templates: templates.written,
      order: this.#order.finish(),
      steps: this.#steps.written,
      walls: this.#walls.count,
      values: list.reduce((sum, { count, valuesWidth }) => sum + count * valuesWidth, 0),
      literals: this.#literals.reduce((sum, position, i) => sum + (i % 2 === 0 ? -position : position), 0),
      fill: (target, parts) => {
        this.#walls.write(target, parts.walls);
        this.#fillValues(target, parts.values, list);
        let to = parts.literals;
        for (let i = 0; i < this.#literals.length; i += 2) {
          const part = this.#bytes.subarray(this.#literals[i], this.#literals[i + 1]);
          target.set(part, to);
          to += part.length;
        }
      },
    });
  }

  /**
   * Writes the values of each template by their bytes: all first bytes, all second bytes, and so
   * on.
   */
  #fillValues(target: Uint8Array, start: number, list: readonly Template[]): void {
    const bytes = this.#bytes;
    let from = start;
    for (const template of list) {
      template.valuesStart = from;
      template.decoded = 0;
      from += template.count * template.valuesWidth;
    }
    for (let i = 0; i < this.#count; i++) {
      const template = list[this.#templates[i]!]!;
      const { valueAt, valueBytes, count } = template;
      const record = this.#starts[i]!;
      let to = template.valuesStart + template.decoded++;
      for (let v = 0; v < valueAt.length; v++) {
        const at = record + valueAt[v]!;
        for (let b = 0; b < valueBytes[v]!; b++) {
          target[to] = bytes[at + b]!;
          to += count;
        }
      }
    }
  }
}

/** The position of the next header with a valid checksum, or the end. */
function nextRecord(bytes: Uint8Array, from: number): number {
  for (let at = from; at + headerBytes <= bytes.length; at++) {
    // Lengths have four zero bytes; this test skips most other positions.
    if (bytes[at + 7] === 0 && recordLength(bytes, at) >= 0) return at;
  }
  return bytes.length;
}
