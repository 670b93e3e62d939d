import { bfloatToNumber, type DtypeName, float8Names, float8ToNumber, halfToNumber } from '#model';

/**
 * An element of a tensor: int64 and uint64 are bigints, complex numbers are pairs (real,
 * imaginary), strings are text or, if not UTF-8, bytes.
 */
export type TensorElement = number | bigint | boolean | string | Uint8Array | [re: number, im: number];

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads element number i of packed little-endian numbers. */
const readers: Readonly<Record<string, { bytes: number; read: (view: DataView, at: number) => TensorElement }>> = {
  float32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  float64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  float16: { bytes: 2, read: (view, at) => halfToNumber(view.getUint16(at, true)) },
  bfloat16: { bytes: 2, read: (view, at) => bfloatToNumber(view.getUint16(at, true)) },
  int8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  int16: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  int32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  int64: { bytes: 8, read: (view, at) => view.getBigInt64(at, true) },
  uint8: { bytes: 1, read: (view, at) => view.getUint8(at) },
  uint16: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  uint32: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  uint64: { bytes: 8, read: (view, at) => view.getBigUint64(at, true) },
  bool: { bytes: 1, read: (view, at) => view.getUint8(at) !== 0 },
  qint8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  qint16: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  qint32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  quint8: { bytes: 1, read: (view, at) => view.getUint8(at) },
  quint16: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  ...Object.fromEntries(
    float8Names.map((name) => [name, { bytes: 1, read: (view: DataView, at: number) => float8ToNumber(name, view.getUint8(at)) }]),
  ),
  // One element per byte, in its lower half.
  int4: { bytes: 1, read: (view, at) => (view.getUint8(at) << 28) >> 28 },
  uint4: { bytes: 1, read: (view, at) => view.getUint8(at) & 15 },
  complex64: { bytes: 8, read: (view, at) => [view.getFloat32(at, true), view.getFloat32(at + 4, true)] },
  complex128: { bytes: 16, read: (view, at) => [view.getFloat64(at, true), view.getFloat64(at + 8, true)] },
};

/**
 * The elements of a stored tensor (`TensorValue`) in C order, as a flat list. Null for
 * `undecodable`: only its bytes are known. Throws RangeError if `data` does not have as many
 * elements as in `shape`.
 */
export function tensorElements(dtype: DtypeName, shape: readonly number[], data: Uint8Array): TensorElement[] | null {
  const count = shape.reduce((product, size) => product * size, 1);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (dtype === 'string') return strings(count, view, data);
  const reader = readers[dtype];
  if (reader === undefined) return null;
  if (data.length !== count * reader.bytes)
    throw new RangeError(`A ${dtype} tensor of shape [${shape.join(', ')}] does not have ${data.length} bytes.`);
  return Array.from({ length: count }, (_, i) => reader.read(view, i * reader.bytes));
}

function strings(count: number, view: DataView, data: Uint8Array): TensorElement[] {
  const elements: TensorElement[] = [];
  let at = 0;
  while (at + 4 <= data.length && elements.length < count) {
    const end = at + 4 + view.getUint32(at);
    if (end > data.length) break;
    elements.push(textOrBytes(data.subarray(at + 4, end)));
    at = end;
  }
  if (at !== data.length || elements.length !== count)
    throw new RangeError(`A tensor of ${count} strings does not lie in these ${data.length} bytes.`);
  return elements;
}

function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes; // not UTF-8
  }
}
