import { crc32cPolynomial } from './crc32c.ts';

/**
 * CRC-32C of A followed by B, from both CRCs and B's length in bytes (a safe integer), without
 * reading the bytes. Appending n bytes multiplies A's CRC by x^(8n) modulo the polynomial (the
 * method of zlib's `crc32_combine`); O(log lengthB).
 *
 * ```ts
 * import { crc32c } from './crc32c.ts';
 *
 * const [a, b] = [Buffer.from('training '), Buffer.from('logs')];
 * assert.equal(combineCrc32c(crc32c(0, a), crc32c(0, b), b.length), crc32c(0, Buffer.concat([a, b])));
 * ```
 */
export function combineCrc32c(crcA: number, crcB: number, lengthB: number): number {
  if (!Number.isSafeInteger(lengthB) || lengthB < 0) throw new RangeError(`not a length in bytes: ${lengthB}`);
  return (multiply(xToThe8(lengthB), crcA | 0) ^ crcB) >>> 0;
}

/** In the reflected representation, bit 31 is x^0. */
const one = 1 << 31;

/** Entry n is x^(2^n) modulo the polynomial; 2^53 bytes are 2^56 bits. */
const powers = makePowers(57);

/** x^(8 n) modulo the polynomial: the product of the powers for the set bits of 8 n. */
function xToThe8(n: number): number {
  let product = one;
  // Avoids bit operations, which would truncate n to 32 bits.
  for (let rest = n, power = 3; rest > 0; rest = Math.floor(rest / 2), power++) {
    if (rest % 2 === 1) product = multiply(powers[power]!, product);
  }
  return product;
}

/** a × b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b;
    b = b & 1 ? (b >>> 1) ^ crc32cPolynomial : b >>> 1;
  }
  return product;
}

function makePowers(count: number): Int32Array {
  const table = new Int32Array(count);
  table[0] = one >>> 1;
  for (let n = 1; n < count; n++) table[n] = multiply(table[n - 1]!, table[n - 1]!);
  return table;
}
