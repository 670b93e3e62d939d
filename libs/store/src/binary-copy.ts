/**
 * Writes rows in Postgres' binary COPY format (PostgreSQL documentation, COPY, "Binary Format";
 * array layout: src/backend/utils/adt/arrayfuncs.c, array_recv). A field is its int32 length (−1
 * for null) and its bytes, in network order. An array is its dimensions, null flag, element type,
 * length, lower bound and elements.
 */
export class BinaryCopyWriter {
  #buffer: Buffer;
  #at = 0;

  constructor(initialBytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafe(initialBytes);
    this.#need(19);
    // Signature, flags and header extension length.
    this.#at += this.#buffer.write('PGCOPY\n\xff\r\n\0', 0, 'latin1');
    this.#at = this.#buffer.writeInt32BE(0, this.#at);
    this.#at = this.#buffer.writeInt32BE(0, this.#at);
  }

  #need(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }

  /** Starts a row with `fields` fields. Exactly that many field calls must follow. */
  row(fields: number): void {
    this.#need(2);
    this.#at = this.#buffer.writeInt16BE(fields, this.#at);
  }

  null(): void {
    this.#need(4);
    this.#at = this.#buffer.writeInt32BE(-1, this.#at);
  }

  bool(value: boolean): void {
    this.#need(5);
    this.#at = this.#buffer.writeInt32BE(1, this.#at);
    this.#at = this.#buffer.writeUInt8(value ? 1 : 0, this.#at);
  }

  int4(value: number): void {
    this.#need(8);
    this.#at = this.#buffer.writeInt32BE(4, this.#at);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  int8(value: bigint | null): void {
    if (value === null) return this.null();
    this.#need(12);
    this.#at = this.#buffer.writeInt32BE(8, this.#at);
    this.#at = this.#buffer.writeBigInt64BE(value, this.#at);
  }

  float8(value: number | null): void {
    if (value === null) return this.null();
    this.#need(12);
    this.#at = this.#buffer.writeInt32BE(8, this.#at);
    this.#at = this.#buffer.writeDoubleBE(value, this.#at);
  }

  bytes(value: Uint8Array | null): void {
    if (value === null) return this.null();
    this.#need(4 + value.length);
    this.#at = this.#buffer.writeInt32BE(value.length, this.#at);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  text(value: string | null): void {
    this.bytes(value === null ? null : Buffer.from(value));
  }

  #array(elementOid: number, length: number, elementBytes: number, nulls: number): void {
    const bytes = 12 + (length === 0 ? 0 : 8 + length * 4 + (length - nulls) * elementBytes);
    this.#need(4 + bytes);
    this.#at = this.#buffer.writeInt32BE(bytes, this.#at);
    this.#at = this.#buffer.writeInt32BE(length === 0 ? 0 : 1, this.#at);
    this.#at = this.#buffer.writeInt32BE(nulls > 0 ? 1 : 0, this.#at);
    this.#at = this.#buffer.writeInt32BE(elementOid, this.#at);
    if (length === 0) return;
    this.#at = this.#buffer.writeInt32BE(length, this.#at);
    this.#at = this.#buffer.writeInt32BE(1, this.#at);
  }

  int8Array(values: BigInt64Array | readonly bigint[] | null): void {
    if (values === null) return this.null();
    this.#array(20, values.length, 8, 0);
    for (const value of values) {
      this.#at = this.#buffer.writeInt32BE(8, this.#at);
      this.#at = this.#buffer.writeBigInt64BE(value, this.#at);
    }
  }

  int2Array(values: Int16Array | null): void {
    if (values === null) return this.null();
    this.#array(21, values.length, 2, 0);
    for (const value of values) {
      this.#at = this.#buffer.writeInt32BE(2, this.#at);
      this.#at = this.#buffer.writeInt16BE(value, this.#at);
    }
  }

  /** A nonzero `isNull[i]` makes element i null. */
  float4Array(values: Float64Array | null, isNull: Uint8Array | null = null): void {
    if (values === null) return this.null();
    this.#array(700, values.length, 4, countSet(isNull));
    for (let i = 0; i < values.length; i++) {
      if (isNull?.[i]) {
        this.#at = this.#buffer.writeInt32BE(-1, this.#at);
        continue;
      }
      this.#at = this.#buffer.writeInt32BE(4, this.#at);
      this.#at = this.#buffer.writeFloatBE(values[i]!, this.#at);
    }
  }

  /** A nonzero `isNull[i]` makes element i null. */
  float8Array(values: Float64Array | null, isNull: Uint8Array | null = null): void {
    if (values === null) return this.null();
    this.#array(701, values.length, 8, countSet(isNull));
    for (let i = 0; i < values.length; i++) {
      if (isNull?.[i]) {
        this.#at = this.#buffer.writeInt32BE(-1, this.#at);
        continue;
      }
      this.#at = this.#buffer.writeInt32BE(8, this.#at);
      this.#at = this.#buffer.writeDoubleBE(values[i]!, this.#at);
    }
  }

  bytesArray(values: readonly (Uint8Array | null)[]): void {
    let bytes = 0;
    let nulls = 0;
    for (const value of values) {
      if (value === null) nulls++;
      else bytes += value.length;
    }
    const total = 12 + (values.length === 0 ? 0 : 8 + values.length * 4 + bytes);
    this.#need(4 + total);
    this.#at = this.#buffer.writeInt32BE(total, this.#at);
    this.#at = this.#buffer.writeInt32BE(values.length === 0 ? 0 : 1, this.#at);
    this.#at = this.#buffer.writeInt32BE(nulls > 0 ? 1 : 0, this.#at);
    this.#at = this.#buffer.writeInt32BE(17, this.#at);
    if (values.length === 0) return;
    this.#at = this.#buffer.writeInt32BE(values.length, this.#at);
    this.#at = this.#buffer.writeInt32BE(1, this.#at);
    for (const value of values) {
      if (value === null) {
        this.#at = this.#buffer.writeInt32BE(-1, this.#at);
        continue;
      }
      this.#at = this.#buffer.writeInt32BE(value.length, this.#at);
      this.#buffer.set(value, this.#at);
      this.#at += value.length;
    }
  }

  /** A uuid, given in its text form. */
  uuid(value: string): void {
    this.#need(20);
    this.#at = this.#buffer.writeInt32BE(16, this.#at);
    this.#at += this.#buffer.write(value.replaceAll('-', ''), this.#at, 'hex');
  }

  /** All the data written, with the end marker. Do not use the writer afterward. */
  finish(): Buffer {
    this.#need(2);
    this.#at = this.#buffer.writeInt16BE(-1, this.#at);
    return this.#buffer.subarray(0, this.#at);
  }
}

function countSet(flags: Uint8Array | null): number {
  if (!flags) return 0;
  let set = 0;
  for (const flag of flags) if (flag) set++;
  return set;
}
