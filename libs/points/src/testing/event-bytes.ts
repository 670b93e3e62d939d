/** Builders of protobuf bytes for this library's tests: unspecified fields are absent. */

/**
 * A field: text and bytes are length-delimited, bigints varints, numbers float32, `{ double }` and
 * `{ varint }` as named.
 */
export function field(number: number, value: Uint8Array | string | bigint | number | { double: number }): Uint8Array {
  if (typeof value === 'bigint') return Buffer.concat([varint(number * 8), varint(value)]);
  if (typeof value === 'number') return Buffer.concat([varint(number * 8 + 5), new Uint8Array(Float32Array.of(value).buffer)]);
  if (typeof value === 'object' && 'double' in value) {
    return Buffer.concat([varint(number * 8 + 1), new Uint8Array(Float64Array.of(value.double).buffer)]);
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** A message of these fields. */
export function message(...fields: (Uint8Array | null)[]): Uint8Array {
  return Buffer.concat(fields.filter((bytes) => bytes !== null));
}

/** Consecutive varints of int64, as in packed lists. */
export function varint(...values: (number | bigint)[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
  }
  return Uint8Array.from(bytes);
}

/** Packed doubles. */
export function doubles(...values: number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(values).buffer);
}

/** Packed floats. */
export function floats(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}

export interface MetadataSpec {
  plugin?: string;
  content?: Uint8Array;
  displayName?: string;
  description?: string;
  /** 1 scalar, 2 tensor, 3 blob sequence. */
  dataClass?: bigint;
}

/** A SummaryMetadata message. */
export function metadata({ plugin, content, displayName, description, dataClass }: MetadataSpec): Uint8Array {
  return message(
    plugin === undefined ? null : field(1, message(field(1, plugin), content ? field(2, content) : null)),
    displayName === undefined ? null : field(2, displayName),
    description === undefined ? null : field(3, description),
    dataClass === undefined ? null : field(4, dataClass),
  );
}

/** A Summary.Value with this oneof field (2 simple_value, 4 image, 5 histo, 6 audio, 8 tensor). */
export function summaryValue(tag: string | Uint8Array, data: Uint8Array | null, meta?: MetadataSpec): Uint8Array {
  return message(field(1, tag), data, meta ? field(9, metadata(meta)) : null);
}

/** A TensorProto of this DataType, shape and further fields. */
export function tensor(dtype: bigint, shape: readonly number[] | null, ...data: Uint8Array[]): Uint8Array {
  const dims = shape?.map((size) => field(2, message(field(1, BigInt(size)))));
  return message(field(1, dtype), dims ? field(2, message(...dims)) : null, ...data);
}

/** An Event with a summary of these values. */
export function summaryEvent(step: bigint, wallTime: number, ...values: Uint8Array[]): Uint8Array {
  return message(field(1, { double: wallTime }), field(2, step), field(5, message(...values.map((bytes) => field(1, bytes)))));
}
