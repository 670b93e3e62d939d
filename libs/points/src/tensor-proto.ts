import { bfloatToNumber, float8ToNumber, halfToNumber, limits } from '#model';
import { type Dtype, dtypeOf } from './dtype.ts';
import { malformed } from './rejection.ts';
import { int64, int64Number, Wire, wireType } from './wire.ts';

/** The maximum rank in TensorFlow; a value with a higher rank is not a tensor. */
const maxRank = 254;

/** One more than the highest field number whose entries are counted. */
const fields = 19;

/**
 * A validated TensorProto. Only positions and counts are kept: `entries` and `content` read the
 * bytes again, so millions of empty strings cost no memory.
 */
export class TensorProto {
  readonly buf: Uint8Array;
  readonly start: number;
  readonly end: number;
  #dtypeNumber = 0;
  /** Null if the rank is unknown or a dimension is not a size. An absent shape means rank 0. */
  shape: number[] | null = [];
  contentStart = 0;
  contentEnd = 0;
  /** Number of entries in the value lists, by field number; for strings, also their bytes. */
  readonly #counts = new Float64Array(fields);
  stringBytes = 0;

  /**
   * Reads `wire` from its position to `end`. Throws a `Refusal` if these bytes are not a
   * well-formed TensorProto.
   */
  constructor(wire: Wire, start: number, end: number) {
    this.buf = wire.buf;
    this.start = start;
    this.end = end;
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x08) {
        wire.varint(end);
        this.#dtypeNumber = wire.low;
      } else if (key === 0x12) {
        this.shape = readShape(wire, wire.lengthEnd(end));
      } else if (key === 0x22) {
        this.contentEnd = wire.lengthEnd(end);
        this.contentStart = wire.pos;
        wire.pos = this.contentEnd;
      } else this.#countEntries(wire, key, end);
    }
  }

  /** Undefined if the type is unreadable or absent. */
  get dtype(): Dtype | undefined {
    return dtypeOf(this.#dtypeNumber);
  }

  /** Product of the dimensions; can exceed 2^53 for a hostile shape. */
  get elements(): number {
    return this.shape === null ? NaN : this.shape.reduce((product, size) => product * size, 1);
  }

  /** Number of entries in the value list of this type. */
  count(dtype: Dtype): number {
    return this.#counts[dtype.field]!;
  }

  /** Calls `entry` with the range of each string in a list. */
  eachString(entry: (start: number, end: number) => void): void {
    this.#eachField(8, (wire, key, end) => {
      if ((key & 7) !== wireType.bytes) return wire.skip(key, end);
      const stringEnd = wire.lengthEnd(end);
      entry(wire.pos, stringEnd);
      wire.pos = stringEnd;
    });
  }

  /** Writes the numbers of the type's list to `into`, packed little-endian. */
  writeNumbers(dtype: Dtype, into: DataView): void {
    const entryBytes = dtype.bytes / dtype.entriesPerElement;
    let at = 0;
    this.#eachField(dtype.field, (wire, key, end) => {
      const type = key & 7;
      if (dtype.entry === 'raw') {
        if (type !== wireType.bytes) return wire.skip(key, end);
        for (const last = wire.lengthEnd(end); wire.pos < last; wire.pos++) into.setUint8(at++, this.buf[wire.pos]!);
        return;
      }
      const single = dtype.entry === 'varint' ? wireType.varint : dtype.entry === 'float' ? wireType.fixed32 : wireType.fixed64;
      if (type !== single && type !== wireType.bytes) return wire.skip(key, end);
      const last = type === wireType.bytes ? wire.lengthEnd(end) : end;
      do {
        if (wire.pos >= last) break;
        if (dtype.entry === 'varint') {
          wire.varint(last);
          writeInteger(into, at, entryBytes, dtype.name === 'bool' && (wire.low | wire.high) !== 0 ? 1 : wire.low, wire.high);
        } else if (dtype.entry === 'float') into.setUint32(at, wire.view.getUint32(wire.fixed(4, last), true), true);
        else into.setBigUint64(at, wire.view.getBigUint64(wire.fixed(8, last), true), true);
        at += entryBytes;
      } while (type === wireType.bytes);
    });
  }

  /**
   * The tensor as a number if it is a single element of a type that can be a scalar; otherwise
   * null.
   */
  scalar(): { value: number; rounded: boolean } | null {
    const dtype = this.dtype;
    if (!dtype?.scalar || this.elements !== 1) return null;
    let view: DataView;
    if (this.contentEnd > this.contentStart) {
      if (this.contentEnd - this.contentStart !== dtype.bytes) return null;
      view = new DataView(this.buf.buffer, this.buf.byteOffset + this.contentStart, dtype.bytes);
    } else {
      if (this.count(dtype) !== 1) return null;
      view = new DataView(new ArrayBuffer(dtype.bytes));
      this.writeNumbers(dtype, view);
    }
    const exact = readScalar(dtype.name, view);
    const value = Number(exact);
    return { value, rounded: typeof exact === 'bigint' && BigInt(value) !== exact };
  }

  #eachField(field: number, visit: (wire: Wire, key: number, end: number) => void): void {
    const wire = new Wire();
    wire.attach(this.buf);
    wire.pos = this.start;
    while (wire.pos < this.end) {
      const key = wire.key(this.end);
      if (key >>> 3 === field) visit(wire, key, this.end);
      else wire.skip(key, this.end);
    }
  }

  #countEntries(wire: Wire, key: number, end: number): void {
    const field = key >>> 3;
    const type = key & 7;
    if (type === wireType.bytes) {
      const last = wire.lengthEnd(end);
      const bytes = last - wire.pos;
      if (field === 5 || field === 9) this.#counts[field]! += wholeEntries(bytes, 4);
      else if (field === 6 || field === 12) this.#counts[field]! += wholeEntries(bytes, 8);
      else if (field === 8) {
        this.#counts[field]! += 1;
        this.stringBytes += bytes;
      } else if (field === 18) this.#counts[field]! += bytes;
      else if (isVarintList(field)) {
        for (; wire.pos < last; this.#counts[field]! += 1) wire.varint(last);
      }
      wire.pos = last;
      return;
    }
    if (
      type === wireType.fixed32
        ? field === 5 || field === 9
        : type === wireType.fixed64
          ? field === 6 || field === 12
          : type === wireType.varint && isVarintList(field)
    ) {
      this.#counts[field]! += 1;
    }
    wire.skip(key, end);
  }
}

/** Field numbers of int_val, int64_val, bool_val, half_val, uint32_val and uint64_val. */
function isVarintList(field: number): boolean {
  return field === 7 || field === 10 || field === 11 || field === 13 || field === 16 || field === 17;
}

/**
 * The length of a packed list of fixed-size numbers must be a multiple of the size, or the message
 * is malformed.
 */
function wholeEntries(bytes: number, size: number): number {
  if (bytes % size !== 0) throw malformed;
  return bytes / size;
}

/** TensorShapeProto{2 repeated Dim{1 size}; 3 unknown_rank}. */
function readShape(wire: Wire, end: number): number[] | null {
  const shape: number[] = [];
  let readable = true;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x12) {
      const dimEnd = wire.lengthEnd(end);
      let size = 0;
      while (wire.pos < dimEnd) {
        const dimKey = wire.key(dimEnd);
        if (dimKey === 0x08) {
          wire.varint(dimEnd);
          size = int64Number(wire.low, wire.high);
        } else wire.skip(dimKey, dimEnd);
      }
      if (shape.length < maxRank) shape.push(size);
      else readable = false;
      if (size < 0 || !Number.isSafeInteger(size)) readable = false;
    } else if (key === 0x18) {
      wire.varint(end);
      if (wire.low !== 0) readable = false;
    } else wire.skip(key, end);
  }
  return readable ? shape : null;
}

function writeInteger(into: DataView, at: number, bytes: number, low: number, high: number): void {
  if (bytes === 1) into.setUint8(at, low);
  else if (bytes === 2) into.setUint16(at, low, true);
  else {
    into.setInt32(at, low, true);
    if (bytes === 8) into.setInt32(at + 4, high, true);
  }
}

function readScalar(name: string, view: DataView): number | bigint {
  switch (name) {
    case 'float32':
      return view.getFloat32(0, true);
    case 'float64':
      return view.getFloat64(0, true);
    case 'float16':
      return halfToNumber(view.getUint16(0, true));
    case 'bfloat16':
      return bfloatToNumber(view.getUint16(0, true));
    case 'float8_e5m2':
    case 'float8_e4m3fn':
    case 'float8_e4m3fnuz':
    case 'float8_e4m3b11fnuz':
    case 'float8_e5m2fnuz':
      return float8ToNumber(name, view.getUint8(0));
    case 'bool':
      return view.getUint8(0) === 0 ? 0 : 1;
    case 'int4':
      return (view.getUint8(0) << 28) >> 28;
    case 'uint4':
      return view.getUint8(0) & 15;
    case 'int8':
    case 'qint8':
      return view.getInt8(0);
    case 'uint8':
    case 'quint8':
      return view.getUint8(0);
    case 'int16':
    case 'qint16':
      return view.getInt16(0, true);
    case 'uint16':
    case 'quint16':
      return view.getUint16(0, true);
    case 'int32':
    case 'qint32':
      return view.getInt32(0, true);
    case 'uint32':
      return view.getUint32(0, true);
    case 'uint64':
      return view.getBigUint64(0, true);
    default:
      return int64(view.getInt32(0, true), view.getInt32(4, true));
  }
}

/** Whether a tensor of this many bytes is too large. */
export function tooLargeForTensor(bytes: number): boolean {
  return !(bytes <= limits.maxTensorBytes);
}
