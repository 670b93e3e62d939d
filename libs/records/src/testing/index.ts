import { crc32c, maskedCrc } from '../crc32c.ts';

/**
 * A record as in a file: header, data, footer. `length` claims a different length, with a valid
 * checksum.
 */
export function frameRecord(data: Uint8Array, { length = BigInt(data.length) }: { length?: bigint } = {}): Uint8Array {
  const record = new Uint8Array(16 + data.length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, length, true);
  view.setUint32(8, maskedCrc(crc32c(0, record, 0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc(crc32c(0, data)), true);
  return record;
}

/** The bytes of a file with these records. */
export function frameRecords(records: Iterable<Uint8Array>): Uint8Array {
  return Buffer.concat([...records].map((data) => frameRecord(data)));
}
