/**
 * The part of the protobuf wire format that tests need. Negative integers are 64-bit two's
 * complement, as for int64.
 */
export function varintField(field: number, value: number | bigint): Uint8Array {
  return join(varint(field << 3), varint(value));
}

export function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  return join(varint((field << 3) | 2), varint(bytes.length), bytes);
}

export function stringField(field: number, text: string): Uint8Array {
  return bytesField(field, new TextEncoder().encode(text));
}

export function doubleField(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return join(varint((field << 3) | 1), bytes);
}

export function floatField(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return join(varint((field << 3) | 5), bytes);
}

/** Concatenates the arrays, skipping null. */
export function join(...chunks: readonly (Uint8Array | null)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(chunks.filter((chunk) => chunk !== null)));
}

function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
