import { crc32c, maskedCrc } from '#records';

/** A record: uint64 length, masked CRC of the length, data, masked CRC of the data. */
export const headerBytes = 12;
export const framingBytes = 16;

/** Masked CRCs of the lengths that nearly all records have. */
const shortLengthCrcs = Uint32Array.from({ length: 2048 }, (_, length) => maskedLengthCrc(length));

/** The masked CRC of a record's length below 2^32, as its header has it. */
export function lengthCrc(length: number): number {
  return length < shortLengthCrcs.length ? shortLengthCrcs[length]! : maskedLengthCrc(length);
}

function maskedLengthCrc(length: number): number {
  return maskedCrc(crc32c(0, Uint8Array.of(length & 255, (length >>> 8) & 255, (length >>> 16) & 255, length >>> 24, 0, 0, 0, 0)));
}

export function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 255;
  bytes[at + 1] = (value >>> 8) & 255;
  bytes[at + 2] = (value >>> 16) & 255;
  bytes[at + 3] = value >>> 24;
}

/** The data length of the record that starts at `at`, or -1 if its header is cut off or wrong. */
export function recordLength(bytes: Uint8Array, at: number): number {
  if (at + headerBytes > bytes.length) return -1;
  if ((bytes[at + 4]! | bytes[at + 5]! | bytes[at + 6]! | bytes[at + 7]!) !== 0) return -1;
  const length = uint32(bytes, at);
  return uint32(bytes, at + 8) === lengthCrc(length) ? length : -1;
}

/** Writes the header of a record. */
export function putHeader(bytes: Uint8Array, at: number, length: number): void {
  putUint32(bytes, at, length);
  putUint32(bytes, at + 4, 0);
  putUint32(bytes, at + 8, lengthCrc(length));
}

/** Writes the checksum after the data of the record at `at`. */
export function putFooter(bytes: Uint8Array, at: number, length: number): void {
  const end = at + headerBytes + length;
  putUint32(bytes, end, maskedCrc(crc32c(0, bytes, at + headerBytes, end)));
}
