import { maskedCrc32c } from './crc32c.ts';

/**
 * The encoding of a scalar in its event. `float-val`: a tensor with `float_val`, metadata only in
 * the first value of a tag (60 bytes per point; the design's measurements use this form).
 * `tensor-content`: the form of TensorFlow's native writer, with metadata in every value.
 * `simple-value`: the legacy form of torch and Lightning.
 */
export type ScalarForm = 'float-val' | 'tensor-content' | 'simple-value';

export const scalarForms: readonly ScalarForm[] = ['float-val', 'tensor-content', 'simple-value'];

/** The constant bytes of a tag's `summary` field, before and after the four bytes of the value. */
export interface ScalarTag {
  readonly first: Template;
  readonly later: Template;
}

interface Template {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Prepares a tag's constant bytes. */
export function scalarTag(tag: string, form: ScalarForm): ScalarTag {
  const first = template(tag, form, true);
  return { first, later: form === 'float-val' ? template(tag, form, false) : first };
}

/**
 * Writes records (TFRecord framing, masked checksums) into one reused buffer and passes it to
 * `sink` when it holds `bufferBytes`, or on `flush`. The sink must not keep the bytes after it
 * returns.
 */
export class EventWriter {
  readonly #sink: (bytes: Uint8Array) => void;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #lengthCrcs = new Map<number, number>();
  #at = 0;
  /** Bytes of complete records so far. */
  written = 0;

  constructor(sink: (bytes: Uint8Array) => void, bufferBytes = 4 * 1024 * 1024) {
    this.#sink = sink;
    this.#bytes = new Uint8Array(bufferBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Writes the event that opens every file. `wallTime`: seconds since the epoch. */
  version(wallTime: number): void {
    const text = new TextEncoder().encode('brain.Event:2');
    const start = this.#begin(16 + 9 + 2 + text.length);
    this.#wallTime(wallTime);
    this.#bytes[this.#at++] = 0x1a; // Event.file_version
    this.#bytes[this.#at++] = text.length;
    this.#put(text);
    this.#end(start);
  }

  /**
   * Writes a scalar point. `step`: a non-negative safe integer; `value` is rounded to float32;
   * `first`: whether it is the tag's first point in this run.
   */
  scalar(tag: ScalarTag, first: boolean, wallTime: number, step: number, value: number): void {
    const { head, tail } = first ? tag.first : tag.later;
    const start = this.#begin(16 + 9 + 11 + head.length + 4 + tail.length);
    this.#wallTime(wallTime);
    if (step !== 0) this.#step(step);
    this.#put(head);
    this.#view.setFloat32(this.#at, value, true);
    this.#at += 4;
    this.#put(tail);
    this.#end(start);
  }

  flush(): void {
    if (this.#at > 0) this.#sink(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  #begin(maxBytes: number): number {
    if (this.#at + maxBytes > this.#bytes.length) this.flush();
    const start = this.#at;
    this.#at += 12;
    return start;
  }

  #end(start: number): void {
    const length = this.#at - start - 12;
    this.#view.setUint32(start, length, true);
    this.#view.setUint32(start + 4, 0, true);
    let lengthCrc = this.#lengthCrcs.get(length);
    if (lengthCrc === undefined) {
      lengthCrc = maskedCrc32c(this.#bytes, start, start + 8);
      this.#lengthCrcs.set(length, lengthCrc);
    }
    this.#view.setUint32(start + 8, lengthCrc, true);
    this.#view.setUint32(this.#at, maskedCrc32c(this.#bytes, start + 12, this.#at), true);
    this.#at += 4;
    this.written += this.#at - start;
  }

  #wallTime(seconds: number): void {
    this.#bytes[this.#at] = 0x09; // Event.wall_time
    this.#view.setFloat64(this.#at + 1, seconds, true);
    this.#at += 9;
  }

  #step(step: number): void {
    this.#bytes[this.#at++] = 0x10; // Event.step; 0 is omitted, as proto3 writers do
    let rest = step;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  /**
   * Templates are a few dozen bytes; below about 50 bytes a loop is faster than `TypedArray.set`.
   */
  #put(source: Uint8Array): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < source.length; i++) bytes[at++] = source[i]!;
    this.#at = at;
  }
}

/**
 * Event{5: Summary{1: Value{1: tag, 2: simple_value | 8: TensorProto, 9: metadata}}}, split at the
 * four bytes of the value.
 */
function template(tag: string, form: ScalarForm, withMetadata: boolean): Template {
  const name = [...new TextEncoder().encode(tag)];
  const plugin = [...new TextEncoder().encode('scalars')];
  // SummaryMetadata{1: PluginData{1: plugin_name}, 4: data_class SCALAR}
  const metadata = field(9, [...field(1, field(1, plugin)), 0x20, 0x01]);
  const opening = field(1, name);
  let tail: number[] = [];
  if (form === 'simple-value') {
    opening.push(0x15);
  } else {
    // TensorProto{1: DT_FLOAT, 2: shape of rank 0, 5: float_val packed or 4: tensor_content}
    const tensor = [0x08, 0x01, 0x12, 0x00, form === 'float-val' ? 0x2a : 0x22, 0x04];
    opening.push(0x42, ...varint(tensor.length + 4), ...tensor);
    if (withMetadata) tail = metadata;
  }
  const value = [...varint(opening.length + 4 + tail.length), ...opening];
  const summary = [0x0a, ...value];
  const head = [0x2a, ...varint(summary.length + 4 + tail.length), ...summary];
  return { head: Uint8Array.from(head), tail: Uint8Array.from(tail) };
}

function field(number: number, bytes: readonly number[]): number[] {
  return [(number << 3) | 2, ...varint(bytes.length), ...bytes];
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) out.push((rest & 127) | 128);
  out.push(rest);
  return out;
}
