import { MessageWriter } from './message-writer.ts';

/** Numbers of TensorFlow's DataType (protocol reference A.4). */
const dataTypes: Readonly<Record<string, number>> = {
  float32: 1,
  float64: 2,
  int32: 3,
  uint8: 4,
  int16: 5,
  int8: 6,
  string: 7,
  complex64: 8,
  int64: 9,
  bool: 10,
  qint8: 11,
  quint8: 12,
  qint32: 13,
  bfloat16: 14,
  qint16: 15,
  quint16: 16,
  uint16: 17,
  complex128: 18,
  float16: 19,
  uint32: 22,
  uint64: 23,
  float8_e5m2: 24,
  float8_e4m3fn: 25,
  float8_e4m3fnuz: 26,
  float8_e4m3b11fnuz: 27,
  float8_e5m2fnuz: 28,
  int4: 29,
  uint4: 30,
};

/**
 * A TensorProto of a stored tensor. `packed`: numbers are little-endian in C order and go into
 * `tensor_content` unchanged. Each string is a big-endian uint32 length followed by its bytes,
 * which go into `string_val`. Null for a type without a number, whose bytes are not a tensor.
 */
export function tensorMessage(dtype: string, shape: readonly number[], packed: Uint8Array): Buffer | null {
  const type = dataTypes[dtype];
  if (type === undefined) return null;
  const dims = new MessageWriter();
  for (const size of shape) dims.bytes(2, new MessageWriter(16).varint(1, size).finish());
  const message = new MessageWriter(packed.length + 64).varint(1, type).bytes(2, dims.finish());
  if (dtype === 'string') {
    const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
    for (let at = 0; at + 4 <= packed.length;) {
      const end = at + 4 + view.getUint32(at);
      message.bytes(8, packed.subarray(at + 4, end));
      at = end;
    }
  } else if (packed.length > 0) message.bytes(4, packed);
  return message.finish();
}
