import { maskedCrc } from '#records';
import { crc32c } from './crc32c.ts';
import type { EventFile } from './event-file.ts';

const maxBytes = 4 * 1024;
/**
 * The length and its checksum before a record's data, and the checksum after the data (protocol
 * reference A.2).
 */
const headerBytes = 12;
const footerBytes = 4;

/**
 * A CRC-32C, in 8 hexadecimal digits, that distinguishes files with the same name. It covers the
 * first record, where a writer records its start: two machines get the same value for a file, even
 * if they see different lengths. If a file starts differently or with a long record, the CRC covers
 * the first 4 KiB. It covers shorter files completely, so their value changes as they grow.
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
