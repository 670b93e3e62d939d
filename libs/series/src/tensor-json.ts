import { bfloatToNumber, type DtypeName, float8Names, float8ToNumber, halfToNumber } from '#model';
import { jsonFloat, jsonFloats, jsonInteger } from './json-numbers.ts';

/**
 * A stored tensor as the JSON of its value: `{"dtype", "shape", "data"}`, with the elements in C
 * order as a flat list. Numbers follow the rules for all responses, complex numbers are pairs, and
 * strings that are not UTF-8 are `{"base64"}`. If the tensor could not be decoded, all its bytes
 * are given as `{"base64"}` instead of the list; with `asPacked`, this applies to every tensor.
 *
 * `packed`: numbers are little-endian in C order; each string is a big-endian uint32 length
 * followed by its bytes.
 */
export function tensorJson(dtype: DtypeName, shape: readonly number[], packed: Uint8Array, asPacked = false): string {
  const data = asPacked ? base64Json(packed) : dataJson(dtype, packed);
  return `{"dtype":${JSON.stringify(dtype)},"shape":[${shape.join(',')}],"data":${data}}`;
}

type Writer = (bytes: DataView) => string;

/** Elements of a fixed size, read one by one. */
function each(size: number, read: (view: DataView, at: number) => string): Writer {
  return (view) => {
    const parts: string[] = [];
    for (let at = 0; at + size <= view.byteLength; at += size) parts.push(read(view, at));
    return `[${parts.join(',')}]`;
  };
}

function floats(size: number, read: (view: DataView, at: number) => number): Writer {
  return (view) => {
    const values = new Float64Array(Math.floor(view.byteLength / size));
    for (let i = 0; i < values.length; i++) values[i] = read(view, i * size);
    return jsonFloats(values);
  };
}

const integers = {
  int8: each(1, (view, at) => String(view.getInt8(at))),
  int16: each(2, (view, at) => String(view.getInt16(at, true))),
  int32: each(4, (view, at) => String(view.getInt32(at, true))),
  uint8: each(1, (view, at) => String(view.getUint8(at))),
  uint16: each(2, (view, at) => String(view.getUint16(at, true))),
};

const writers: Readonly<Record<string, Writer>> = {
  ...integers,
  float32: floats(4, (view, at) => view.getFloat32(at, true)),
  float64: floats(8, (view, at) => view.getFloat64(at, true)),
  float16: floats(2, (view, at) => halfToNumber(view.getUint16(at, true))),
  bfloat16: floats(2, (view, at) => bfloatToNumber(view.getUint16(at, true))),
  int64: each(8, (view, at) => jsonInteger(view.getBigInt64(at, true))),
  uint32: each(4, (view, at) => String(view.getUint32(at, true))),
  uint64: each(8, (view, at) => jsonInteger(view.getBigUint64(at, true))),
  ...Object.fromEntries(float8Names.map((name) => [name, floats(1, (view, at) => float8ToNumber(name, view.getUint8(at)))])),
  // One element per byte, in its lower half.
  int4: each(1, (view, at) => String((view.getUint8(at) << 28) >> 28)),
  uint4: each(1, (view, at) => String(view.getUint8(at) & 15)),
  bool: each(1, (view, at) => (view.getUint8(at) ? 'true' : 'false')),
  qint8: integers.int8,
  qint16: integers.int16,
  qint32: integers.int32,
  quint8: integers.uint8,
  quint16: integers.uint16,
  complex64: each(8, (view, at) => `[${jsonFloat(view.getFloat32(at, true))},${jsonFloat(view.getFloat32(at + 4, true))}]`),
  complex128: each(16, (view, at) => `[${jsonFloat(view.getFloat64(at, true))},${jsonFloat(view.getFloat64(at + 8, true))}]`),
};

function dataJson(dtype: DtypeName, packed: Uint8Array): string {
  if (dtype === 'string') return stringsJson(packed);
  const write = writers[dtype];
  return write ? write(new DataView(packed.buffer, packed.byteOffset, packed.byteLength)) : base64Json(packed);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function stringsJson(packed: Uint8Array): string {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const parts: string[] = [];
  for (let at = 0; at + 4 <= packed.length;) {
    const length = view.getUint32(at);
    parts.push(textJson(packed.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return `[${parts.join(',')}]`;
}

function textJson(bytes: Uint8Array): string {
  try {
    return JSON.stringify(utf8.decode(bytes));
  } catch {
    return base64Json(bytes); // not UTF-8: the bytes themselves
  }
}

function base64Json(bytes: Uint8Array): string {
  return `{"base64":"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"}`;
}
