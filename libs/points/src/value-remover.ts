import type { TagName } from '#model';
import { Rejection } from './rejection.ts';
import { runGraphTag } from './summary-metadata.ts';
import { utf8 } from './utf8.ts';
import { EventScan, eventField, ValueScan } from './value-scan.ts';
import { int64, Wire } from './wire.ts';

/** Whether the value of this tag at this step is removed. */
export type IsRemoved = (tag: TagName, step: bigint) => boolean;

/** Field 15 of Event, which no schema uses: protobuf readers skip it. */
const paddingKey = 0x7a;
const stepKey = 0x10;
const summaryKey = 0x2a;

/** A field of the current event, and its position including the key. */
interface Field {
  readonly key: number;
  readonly start: number;
  /** Position after the length of a bytes field. */
  readonly dataStart: number;
  readonly end: number;
}

/**
 * Removes values from events without changing the length of the event, so every offset in the file
 * stays valid. The bytes of a removed value are replaced by zeros in an unknown field. An event
 * with only removed values keeps just its wall time, which shows when its writer was active (data
 * rule 2).
 */
export class ValueRemover {
  readonly #isRemoved: IsRemoved;
  readonly #wire = new Wire();
  readonly #event = new EventScan();
  readonly #value = new ValueScan();

  constructor(isRemoved: IsRemoved) {
    this.#isRemoved = isRemoved;
  }

  /**
   * The event in `buf[start, end)` without the removed values, with the same number of bytes. Null
   * if it contains no removed values.
   */
  remove(buf: Uint8Array, start: number, end: number): Uint8Array | 'not-an-event' | null {
    this.#wire.attach(buf);
    try {
      this.#event.read(this.#wire, start, end);
      const step = int64(this.#event.stepLow, this.#event.stepHigh);
      const fields = this.#fields(start, end);
      if (!fields.some((field) => this.#holdsRemoved(field, step))) return null;
      return this.#rewrite(fields, step, end - start);
    } catch (error) {
      if (error instanceof Rejection) return 'not-an-event';
      throw error;
    }
  }

  #fields(start: number, end: number): Field[] {
    const wire = this.#wire;
    const fields: Field[] = [];
    for (wire.pos = start; wire.pos < end;) {
      const from = wire.pos;
      const key = wire.key(end);
      let dataStart = wire.pos;
      if ((key & 7) === 2) {
        const last = wire.lengthEnd(end);
        dataStart = wire.pos;
        wire.pos = last;
      } else wire.skip(key, end);
      fields.push({ key, start: from, dataStart, end: wire.pos });
    }
    return fields;
  }

  /**
   * Includes fields that another field of the oneof `what` overrides, because their bytes are still
   * in the file.
   */
  #holdsRemoved(field: Field, step: bigint): boolean {
    if ((field.key & 7) !== 2) return false;
    switch (field.key >>> 3) {
      case eventField.graphDef:
        return this.#isRemoved(runGraphTag, step);
      case eventField.taggedRunMetadata:
        return this.#isRemoved(this.#tagOf(field), step);
      case eventField.summary:
        return [...this.#values(field)].some(({ tag }) => tag !== null && this.#isRemoved(tag, step));
      default:
        return false;
    }
  }

  /** TaggedRunMetadata{1 tag}. */
  #tagOf({ dataStart, end }: Field): string {
    const wire = this.#wire;
    let tag = '';
    for (wire.pos = dataStart; wire.pos < end;) {
      const key = wire.key(end);
      if (key !== 0x0a) {
        wire.skip(key, end);
        continue;
      }
      const last = wire.lengthEnd(end);
      tag = utf8(wire.buf, wire.pos, last);
      wire.pos = last;
    }
    return tag;
  }

  /** Yields the fields of a summary; `tag` is the tag of a value, null for any other field. */
  *#values({ dataStart, end }: Field): Generator<{ tag: TagName | null; start: number; end: number }> {
    const wire = this.#wire;
    for (let at = dataStart; at < end;) {
      wire.pos = at;
      const key = wire.key(end);
      let tag: TagName | null = null;
      if (key === 0x0a) {
        const last = wire.lengthEnd(end);
        this.#value.read(wire, wire.pos, last);
        tag = utf8(wire.buf, this.#value.tagStart, this.#value.tagEnd);
        wire.pos = last;
      } else wire.skip(key, end);
      const next = wire.pos;
      yield { tag, start: at, end: next };
      at = next;
    }
  }

  #rewrite(fields: readonly Field[], step: bigint, length: number): Uint8Array {
    const { buf } = this.#wire;
    const isWhat = ({ key }: Field): boolean => (key & 7) === 2 && key >>> 3 >= 3 && key >>> 3 <= 9;
    const kept: { field: Field; parts: Uint8Array[] }[] = [];
    for (const field of fields) {
      if (!isWhat(field)) kept.push({ field, parts: [buf.subarray(field.start, field.end)] });
      // An overridden field would count if the overriding one were removed.
      else if (field.key >>> 3 !== this.#event.what) continue;
      else if (field.key >>> 3 === eventField.summary) {
        const values = [...this.#values(field)].filter(({ tag }) => tag === null || !this.#isRemoved(tag, step));
        const data = values.map((value) => buf.subarray(value.start, value.end));
        const bytes = data.reduce((sum, part) => sum + part.length, 0);
        if (bytes > 0) kept.push({ field, parts: [Uint8Array.of(summaryKey, ...varint(bytes)), ...data] });
      } else if (!this.#holdsRemoved(field, step)) kept.push({ field, parts: [buf.subarray(field.start, field.end)] });
    }
    const isEmpty = !kept.some(({ field }) => isWhat(field));
    const out = new Uint8Array(length);
    let at = 0;
    for (const { field, parts } of kept) {
      if (isEmpty && field.key === stepKey) continue;
      for (const part of parts) {
        out.set(part, at);
        at += part.length;
      }
    }
    pad(out, at);
    return out;
  }
}

/**
 * Fills `out`, starting at `at`, with unknown fields of zeros. If bytes must be filled, there are
 * at least two, because no field is shorter.
 */
function pad(out: Uint8Array, at: number): void {
  for (let left = out.length - at; left > 0; left = out.length - at) {
    // A length of n bytes encodes less than 128^n; if the field would not end exactly here, a short
    // field is put before it.
    const sizes = [1, 2, 3, 4, 5].map((bytes) => ({ bytes, data: left - 1 - bytes }));
    const fit = sizes.find(({ bytes, data }) => data >= 0 && varint(data).length === bytes);
    const data = fit?.data ?? 0;
    out.set([paddingKey, ...varint(data)], at);
    at += 1 + varint(data).length + data;
  }
}

function varint(value: number): number[] {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
  return bytes;
}
