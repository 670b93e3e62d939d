/**
 * CRC-32C in the masked form of TFRecord framing. Deliberately independent of `libs/records`: the
 * generator must not share bugs with the reader that it feeds.
 */

const polynomial = 0x82f63b78; // Castagnoli, reflected
const tables: readonly Int32Array[] = makeTables();

/**
 * Returns the masked CRC-32C of `bytes[from, to)` as TFRecord stores it: rotated right by 15, plus
 * 0xa282ead8, modulo 2^32.
 */
export function maskedCrc32c(bytes: Uint8Array, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Returns the CRC-32C of `bytes[from, to)`, four bytes at a time. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  const [t0, t1, t2, t3] = tables as [Int32Array, Int32Array, Int32Array, Int32Array];
  let crc = -1;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc = t3[crc & 255]! ^ t2[(crc >>> 8) & 255]! ^ t1[(crc >>> 16) & 255]! ^ t0[crc >>> 24]!;
  }
  for (; at < to; at++) crc = t0[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): Int32Array[] {
  const all = [new Int32Array(256), new Int32Array(256), new Int32Array(256), new Int32Array(256)];
  for (let n = 0; n < 256; n++) {
    let crc = n;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    all[0]![n] = crc;
  }
  for (let k = 1; k < 4; k++) {
    for (let n = 0; n < 256; n++) all[k]![n] = all[0]![all[k - 1]![n]! & 255]! ^ (all[k - 1]![n]! >>> 8);
  }
  return all;
}
