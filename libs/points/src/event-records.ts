import type { PointColumns } from '#model';
import { crc32c, maskedCrc } from '#records';

/** Position and time of a value, and the metadata of its series. */
export interface ValuePlace {
  /** UTF-8. */
  readonly tag: Uint8Array;
  readonly step: bigint;
  /** Seconds since the epoch. */
  readonly wallTime: number;
  /** A serialized SummaryMetadata; null if an earlier record of the tag had it. */
  readonly metadata: Uint8Array | null;
}

const headerBytes = 12;
const footerBytes = 4;
/**
 * Bytes of the keys, lengths and numbers of an event with one value, without the variable-length
 * parts.
 */
const roomBytes = 128;

/** DT_FLOAT or DT_DOUBLE, no dimensions, and one number: `float_val` or `double_val`, packed. */
const floatTensorBytes = 2 + 2 + 2 + 4;
const doubleTensorBytes = 2 + 2 + 2 + 8;

/**
 * Writes events with one value each as consecutive records of an event file (protocol reference
 * A.2, A.4). Data from stock uploaders is stored in this form, and exports use it, so the same
 * readers can read everything.
 */
export class EventRecords {
  #bytes: Buffer;
  #length = 0;

  /** `bytes`: initial capacity. */
  constructor(bytes = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  /** Bytes written. */
  get length(): number {
    return this.#length;
  }

  /** The written bytes. Do not use the writer afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes the first record of an event file, with the format version. */
  version(wallTime: number): void {
    const start = this.#length;
    this.#reserve(headerBytes + roomBytes + footerBytes);
    this.#length += headerBytes;
    this.#bytes[this.#length++] = 0x09;
    this.#length = this.#bytes.writeDoubleLE(wallTime, this.#length);
    this.#field(0x1a, Buffer.from('brain.Event:2'));
    this.#frame(start);
  }

  /**
   * Writes a scalar. A number that float32 represents exactly is written as the four bytes that
   * were originally logged, any other number as float64. With metadata, it is written as a tensor.
   * A `simple_value` means the old form, in which the tag names the series if the metadata has no
   * other name.
   */
  scalar(place: ValuePlace, value: number): void {
    const isFloat = Object.is(Math.fround(value), value);
    const isSimple = isFloat && place.metadata === null;
    this.#record(place, isSimple ? 5 : 2 + (isFloat ? floatTensorBytes : doubleTensorBytes), () => {
      if (isSimple)
        this.#bytes[this.#length++] = 0x15; // simple_value
      else this.#length += this.#bytes.write(isFloat ? '420a080112002a04' : '420e080212003208', this.#length, 'hex'); // tensor {dtype, tensor_shape, one number}
      this.#length = isFloat ? this.#bytes.writeFloatLE(value, this.#length) : this.#bytes.writeDoubleLE(value, this.#length);
    });
  }

  /**
   * Writes all points of one tag: the same bytes as {@link scalar} for each of them, in a fraction
   * of the time. `metadata` belongs to the first point; null if its tag was described before.
   */
  scalars(tag: Uint8Array, { steps, wallTimes, values }: PointColumns, metadata: Uint8Array | null): void {
    const isDescribed = metadata !== null && steps.length > 0;
    if (isDescribed) this.scalar({ tag, step: steps[0]!, wallTime: wallTimes[0]!, metadata }, values[0]!);
    const prefix = simpleValuePrefix(tag);
    const recordBytes = headerBytes + 9 + 6 + prefix.length + 4 + footerBytes;
    const words = new Int32Array(steps.buffer, steps.byteOffset, steps.length * 2);
    let [bytes, view] = [this.#bytes, viewOf(this.#bytes)];
    let lengthCrc = { length: -1, crc: 0 };
    for (let i = isDescribed ? 1 : 0; i < steps.length; i++) {
      const [step, value] = [words[2 * i]!, values[i]!];
      if (step < 0 || words[2 * i + 1] !== 0 || !Object.is(Math.fround(value), value)) {
        this.scalar({ tag, step: steps[i]!, wallTime: wallTimes[i]!, metadata: null }, value);
        continue;
      }
      this.#reserve(recordBytes);
      if (bytes !== this.#bytes) [bytes, view] = [this.#bytes, viewOf(this.#bytes)];
      const start = this.#length;
      const data = start + headerBytes;
      let at = data;
      bytes[at] = 0x09;
      view.setFloat64(at + 1, wallTimes[i]!, true);
      at += 9;
      if (step !== 0) {
        bytes[at++] = 0x10;
        let rest = step;
        for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
        bytes[at++] = rest;
      }
      for (let j = 0; j < prefix.length; j++) bytes[at + j] = prefix[j]!;
      at += prefix.length;
      view.setFloat32(at, value, true);
      at += 4;
      view.setUint32(start, at - data, true);
      view.setUint32(start + 4, 0, true);
      if (lengthCrc.length !== at - data) lengthCrc = { length: at - data, crc: maskedCrc(crc32c(0, bytes, start, start + 8)) };
      view.setUint32(start + 8, lengthCrc.crc, true);
      view.setUint32(at, maskedCrc(crc32c(0, bytes, data, at)), true);
      this.#length = at + footerBytes;
    }
  }

  /** `tensor`: a serialized TensorProto, stored unchanged. */
  tensor(place: ValuePlace, tensor: Uint8Array): void {
    this.#record(place, fieldBytes(tensor.length), () => this.#field(0x42, tensor));
  }

  /** Writes a sequence of blobs: a one-dimensional tensor with these strings. */
  blobs(place: ValuePlace, blobs: readonly Uint8Array[]): void {
    const dim = varintBytes(blobs.length) + 1; // size
    const shape = dim + 2; // dim
    const tensor = 2 + shape + 2 + blobs.reduce((sum, { length }) => sum + fieldBytes(length), 0);
    this.#record(place, fieldBytes(tensor), () => {
      this.#bytes[this.#length++] = 0x42;
      this.#varint(tensor);
      for (const byte of [0x08, 7, 0x12, shape, 0x12, dim, 0x08]) this.#bytes[this.#length++] = byte; // DT_STRING, tensor_shape {dim {size}}
      this.#varint(blobs.length);
      for (const blob of blobs) this.#field(0x42, blob); // string_val
    });
  }

  /** `dataBytes`: size of the field with the value's data, which `writeData` writes. */
  #record({ tag, step, wallTime, metadata }: ValuePlace, dataBytes: number, writeData: () => void): void {
    const value = fieldBytes(tag.length) + dataBytes + (metadata === null ? 0 : fieldBytes(metadata.length));
    const summary = fieldBytes(value);
    this.#reserve(headerBytes + roomBytes + summary + footerBytes);
    const start = this.#length;
    this.#length += headerBytes;
    this.#bytes[this.#length++] = 0x09;
    this.#length = this.#bytes.writeDoubleLE(wallTime, this.#length);
    if (step !== 0n) {
      this.#bytes[this.#length++] = 0x10;
      this.#step(step);
    }
    this.#bytes[this.#length++] = 0x2a;
    this.#varint(summary);
    this.#bytes[this.#length++] = 0x0a;
    this.#varint(value);
    this.#field(0x0a, tag);
    writeData();
    if (metadata !== null) this.#field(0x4a, metadata);
    this.#frame(start);
  }

  /** Writes the length and checksums of the record at `start`, which ends here. */
  #frame(start: number): void {
    const data = start + headerBytes;
    this.#bytes.writeUInt32LE(this.#length - data, start);
    this.#bytes.writeUInt32LE(0, start + 4);
    this.#bytes.writeUInt32LE(maskedCrc(crc32c(0, this.#bytes, start, start + 8)), start + 8);
    this.#length = this.#bytes.writeUInt32LE(maskedCrc(crc32c(0, this.#bytes, data, this.#length)), this.#length);
  }

  #field(key: number, bytes: Uint8Array): void {
    this.#bytes[this.#length++] = key;
    this.#varint(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #step(step: bigint): void {
    if (step > 0n && step < 0x80000000n) return this.#varint(Number(step));
    let rest = BigInt.asUintN(64, step);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  /** Below 2^31. */
  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + bytes, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Bytes between the step and the number of an event with a `simple_value`. */
function simpleValuePrefix(tag: Uint8Array): Uint8Array {
  const value = fieldBytes(tag.length) + 5;
  return Buffer.from([0x2a, ...varint(fieldBytes(value)), 0x0a, ...varint(value), 0x0a, ...varint(tag.length), ...tag, 0x15]);
}

function varint(value: number): number[] {
  return value > 0x7f ? [(value & 0x7f) | 0x80, ...varint(value >>> 7)] : [value];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bytes of a field with a length: key, length, bytes. */
function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}

function varintBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}
