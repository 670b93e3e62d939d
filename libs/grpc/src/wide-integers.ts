import protobuf from 'protobufjs';

/** Reads 64-bit integers as bigint: a step that float64 cannot represent must not change. */
export class WideReader extends protobuf.BufferReader {
  override int64(): never {
    return BigInt.asIntN(64, this.#varint()) as never; // the library's types only know its own wide integers
  }

  override uint64(): never {
    return this.#varint() as never;
  }

  /** Most integers are small and are read without a bigint for each byte. */
  #varint(): bigint {
    let low = 0;
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.#byte();
      low += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('a varint has more than ten bytes');
  }

  #byte(): number {
    if (this.pos >= this.len) throw new RangeError('a varint ends early');
    return this.buf[this.pos++]!;
  }
}

/** Writes 64-bit integers given as bigint, in addition to the numbers that the library accepts. */
export class WideWriter extends protobuf.BufferWriter {
  override int64(value: unknown): this {
    super.int64(partsOf(value));
    return this;
  }

  override uint64(value: unknown): this {
    super.uint64(partsOf(value));
    return this;
  }

  override int64s(values: readonly unknown[]): this {
    super.int64s(values.map(partsOf));
    return this;
  }

  override uint64s(values: readonly unknown[]): this {
    super.uint64s(values.map(partsOf));
    return this;
  }
}

function partsOf(value: unknown): never {
  return (
    typeof value === 'bigint'
      ? { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false }
      : value
  ) as never;
}
