import { randomBytes } from 'node:crypto';
import { crc32c, maskedCrc } from '#records';

/**
 * Bytes that start like an event file, with the length of a first record and its checksum. The rest
 * is given, or random up to `content` bytes in total.
 */
export function eventBytes(content: number | string): Buffer {
  const header = Buffer.alloc(12);
  header.writeBigUInt64LE(1_000_000n);
  header.writeUInt32LE(maskedCrc(crc32c(0, header, 0, 8)), 8);
  if (content === 0) return Buffer.alloc(0);
  return Buffer.concat([header, typeof content === 'string' ? Buffer.from(content) : randomBytes(content - header.length)]);
}
