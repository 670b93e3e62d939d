import { maskedCrc } from '#records';
import { crc32c } from './crc32c.ts';
import type { EventFile } from './event-file.ts';

const maxBytes = 4 * 1024;
/**
 * Length and its checksum before the data of a record, and the checksum after it (protocol
 * reference A.2).
 */
const headerBytes = 12;
const footerBytes = 4;

/**
 * CRC-32C, as 8 hexadecimal digits, that distinguishes a file from others with its name. It covers
 * the first record, in which a writer records its start: two machines get the same value for a
 * file, even if they see different lengths. For a file that starts differently, or with a long
 * record, it covers the first 4 KiB. A shorter file is covered as a whole: then the value changes
 * as the file grows.
 */
export async function beginningCrc32c(file: Pick<EventFile, 'read'>): Promise<string> {
  const buffer = Buffer.alloc(maxBytes);
  const read = buffer.subarray(0, await file.read(buffer, 0));
  return crc32c(read.subarray(0, firstRecordEnd(read) ?? read.length))
    .toString(16)
    .padStart(8, '0');
}

/** Null if there is no complete record at the start of `bytes`. */
function firstRecordEnd(bytes: Buffer): number | null {
  if (bytes.length < headerBytes || bytes.readUInt32LE(8) !== maskedCrc(crc32c(bytes.subarray(0, 8)))) return null;
  const end = headerBytes + Number(bytes.readBigUInt64LE(0)) + footerBytes;
  return end <= bytes.length ? end : null;
}
