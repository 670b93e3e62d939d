import type { DtypeName } from '#model';

/** How the elements of a TensorFlow type are stored (protocol reference A.4). */
export interface Dtype {
  /** As in `TensorValue.dtype`. */
  readonly name: Exclude<DtypeName, 'undecodable'>;
  /** Bytes of an element, packed; 0 for strings. */
  readonly bytes: number;
  /**
   * Number of the TensorProto field that lists elements when they are not packed in
   * `tensor_content`.
   */
  readonly field: number;
  /** How that field encodes an entry; a complex element uses two entries. */
  readonly entry: 'float' | 'double' | 'varint' | 'bytes' | 'raw';
  readonly entriesPerElement: 1 | 2;
  /**
   * Whether a single element can be a scalar point: every real-number type, and bool (data rule 5).
   */
  readonly scalar: boolean;
}

function dtype(
  name: Dtype['name'],
  bytes: number,
  field: number,
  entry: Dtype['entry'],
  scalar = false,
  entriesPerElement: 1 | 2 = 1,
): Dtype {
  return { name, bytes, field, entry, entriesPerElement, scalar };
}

/**
 * By TensorFlow DataType number. Resources and variants are omitted: nothing can be read from them.
 */
const dtypes = new Map<number, Dtype>([
  [1, dtype('float32', 4, 5, 'float', true)],
  [2, dtype('float64', 8, 6, 'double', true)],
  [3, dtype('int32', 4, 7, 'varint', true)],
  [4, dtype('uint8', 1, 7, 'varint', true)],
  [5, dtype('int16', 2, 7, 'varint', true)],
  [6, dtype('int8', 1, 7, 'varint', true)],
  [7, dtype('string', 0, 8, 'bytes')],
  [8, dtype('complex64', 8, 9, 'float', false, 2)],
  [9, dtype('int64', 8, 10, 'varint', true)],
  [10, dtype('bool', 1, 11, 'varint', true)],
  [11, dtype('qint8', 1, 7, 'varint', true)],
  [12, dtype('quint8', 1, 7, 'varint', true)],
  [13, dtype('qint32', 4, 7, 'varint', true)],
  [14, dtype('bfloat16', 2, 13, 'varint', true)],
  [15, dtype('qint16', 2, 7, 'varint', true)],
  [16, dtype('quint16', 2, 7, 'varint', true)],
  [17, dtype('uint16', 2, 7, 'varint', true)],
  [18, dtype('complex128', 16, 12, 'double', false, 2)],
  [19, dtype('float16', 2, 13, 'varint', true)],
  [22, dtype('uint32', 4, 16, 'varint', true)],
  [23, dtype('uint64', 8, 17, 'varint', true)],
  [24, dtype('float8_e5m2', 1, 18, 'raw', true)],
  [25, dtype('float8_e4m3fn', 1, 18, 'raw', true)],
  [26, dtype('float8_e4m3fnuz', 1, 18, 'raw', true)],
  [27, dtype('float8_e4m3b11fnuz', 1, 18, 'raw', true)],
  [28, dtype('float8_e5m2fnuz', 1, 18, 'raw', true)],
  [29, dtype('int4', 1, 7, 'varint', true)],
  [30, dtype('uint4', 1, 7, 'varint', true)],
]);

/**
 * The type with this DataType number; reference types (+100) map to the type they refer to.
 * Undefined for unreadable types.
 */
export function dtypeOf(number: number): Dtype | undefined {
  return dtypes.get(number > 100 ? number - 100 : number);
}
