/**
 * A field of a protobuf message: its number, and its value, which is a varint, the bits of a
 * fixed-size number, or bytes.
 */
export interface Field {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/**
 * The fields of a message, in order. Varints lose precision beyond 2^53, which no field read here
 * reaches. Stops at the first invalid byte; the fields before it are shown.
 */
export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const kind = key % 8;
    if (kind === 0) {
      const value = varint();
      if (Number.isNaN(value)) return;
      yield { number, value };
    } else if (kind === 1 || kind === 5) {
      const size = kind === 1 ? 8 : 4;
      if (at + size > bytes.length) return;
      yield { number, value: kind === 1 ? view.getFloat64(at, true) : view.getFloat32(at, true) };
      at += size;
    } else if (kind === 2) {
      const length = varint();
      if (!(at + length <= bytes.length)) return;
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    } else return;
  }
}

const decoder = new TextDecoder();

/** A field as text. Empty if the field is not bytes. */
export function textOf({ value }: Field): string {
  return typeof value === 'number' ? '' : decoder.decode(value);
}

/** A field as a message. Has no fields if the field is not bytes. */
export function bytesOf({ value }: Field): Uint8Array {
  return typeof value === 'number' ? new Uint8Array(0) : value;
}
