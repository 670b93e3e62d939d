/** A field of a protobuf message: a number, 8 or 4 bytes, or a length-delimited part. */
export interface ProtobufField {
  readonly number: number;
  readonly varint: bigint;
  readonly bytes: Buffer;
}

const none = Buffer.alloc(0);

/** The fields of a message of any type, in order. Throws if the bytes are not a message. */
export function* protobufFields(message: Buffer): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('a protobuf number is incomplete');
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw new Error('a protobuf field is longer than its message');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = Number(varint());
    const number = key >>> 3;
    const kind = key & 7;
    if (kind === 0) yield { number, varint: varint(), bytes: none };
    else if (kind === 1) yield { number, varint: 0n, bytes: take(8) };
    else if (kind === 2) yield { number, varint: 0n, bytes: take(Number(varint())) };
    else if (kind === 5) yield { number, varint: 0n, bytes: take(4) };
    else throw new Error(`unexpected protobuf wire type ${kind}`);
  }
}

/** The parts of a message with this field number. */
export function partsOf(message: Buffer, number: number): Buffer[] {
  return [...protobufFields(message)].filter((field) => field.number === number).map(({ bytes }) => bytes);
}

/** The last string with this field number; empty if there is none. */
export function textOf(message: Buffer, number: number): string {
  return partsOf(message, number).at(-1)?.toString() ?? '';
}

/** The last int64 with this field number. */
export function int64Of(message: Buffer, number: number): bigint | null {
  const found = [...protobufFields(message)].filter((field) => field.number === number).at(-1);
  return found ? BigInt.asIntN(64, found.varint) : null;
}
