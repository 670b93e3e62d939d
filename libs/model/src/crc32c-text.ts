/**
 * A CRC-32C (uint32) as in responses, receipts and object keys: eight lowercase hexadecimal
 * digits, highest first.
 */
export function crc32cHex(crc32c: number): string {
  return crc32c.toString(16).padStart(8, '0');
}

/**
 * A CRC-32C (uint32) as in `Content-Digest` and `Repr-Digest` (RFC 9530): the four bytes, highest
 * first, as a structured-field byte sequence.
 */
export function crc32cDigest(crc32c: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32c);
  return `crc32c=:${bytes.toString('base64')}:`;
}
