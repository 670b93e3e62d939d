/**
 * CRC-32C (Castagnoli), the checksum of TFRecord files. Slicing-by-8: eight tables process eight
 * bytes per step, which matters because records are short (about 60 bytes).
 */
export const crc32cPolynomial = 0x82f63b78;

const tables = makeTables();

/**
 * CRC-32C of `buf[start, end)` as an unsigned 32-bit number. To continue a checksum, pass the CRC
 * of the preceding bytes as `crc`: `crc32c(crc32c(0, a, 0, a.length), b, 0, b.length)` is the CRC
 * of a followed by b.
 */
export function crc32c(crc: number, buf: Uint8Array, start = 0, end = buf.length): number {
  const t = tables;
  let c = ~crc;
  let i = start;
  for (const last = end - 8; i <= last; i += 8) {
    c ^= buf[i]! | (buf[i + 1]! << 8) | (buf[i + 2]! << 16) | (buf[i + 3]! << 24);
    c =
      t[1792 + (c & 255)]! ^
      t[1536 + ((c >>> 8) & 255)]! ^
      t[1280 + ((c >>> 16) & 255)]! ^
      t[1024 + (c >>> 24)]! ^
      t[768 + buf[i + 4]!]! ^
      t[512 + buf[i + 5]!]! ^
      t[256 + buf[i + 6]!]! ^
      t[buf[i + 7]!]!;
  }
  if (end - i >= 4) {
    c ^= buf[i]! | (buf[i + 1]! << 8) | (buf[i + 2]! << 16) | (buf[i + 3]! << 24);
    c = t[768 + (c & 255)]! ^ t[512 + ((c >>> 8) & 255)]! ^ t[256 + ((c >>> 16) & 255)]! ^ t[c >>> 24]!;
    i += 4;
  }
  for (; i < end; i++) c = (c >>> 8) ^ t[(c ^ buf[i]!) & 255]!;
  return ~c >>> 0;
}

/**
 * The form in which TFRecord stores a CRC: rotated right by 15 bits, plus a constant (protocol
 * reference A.2). It avoids degenerate CRCs over bytes that themselves contain CRCs. Unsigned
 * 32-bit.
 */
export function maskedCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Table k (at 256 k) contains the CRC of a byte followed by k zero bytes. */
function makeTables(): Int32Array {
  const t = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let c = byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ crc32cPolynomial : c >>> 1;
    t[byte] = c;
  }
  for (let i = 256; i < t.length; i++) t[i] = (t[i - 256]! >>> 8) ^ t[t[i - 256]! & 255]!;
  return t;
}
