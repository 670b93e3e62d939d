import { describe, expect, it } from 'vitest';
import { maskedCrc } from '#records';
import { beginningCrc32c } from './beginning-crc32c.ts';
import { crc32c } from './crc32c.ts';

function record(data: string): Buffer {
  const bytes = Buffer.alloc(12 + data.length + 4);
  bytes.writeBigUInt64LE(BigInt(data.length));
  bytes.writeUInt32LE(maskedCrc(crc32c(bytes.subarray(0, 8))), 8);
  bytes.write(data, 12);
  bytes.writeUInt32LE(maskedCrc(crc32c(Buffer.from(data))), 12 + data.length);
  return bytes;
}

/** The checksum of a file with these bytes. */
const beginning = (bytes: Buffer) => beginningCrc32c({ read: async (into) => bytes.copy(into) });

describe('beginningCrc32c', () => {
  it('stays the same while a file grows, once its first record is complete', async () => {
    const whole = Buffer.concat([record('2026-11-25 00:00:00.125'), record('x'.repeat(5000))]);
    const first = await beginning(whole.subarray(0, record('2026-11-25 00:00:00.125').length));
    for (const length of [50, 4000, 4500, whole.length]) expect(await beginning(whole.subarray(0, length))).toBe(first);
  });

  it('differs if the first records differ', async () => {
    expect(await beginning(record('a'))).not.toBe(await beginning(record('b')));
  });

  it('covers 4 KiB of a file that starts with a longer record or with none, and all of a shorter file', async () => {
    const long = record('x'.repeat(5000));
    expect(await beginning(long)).toBe(await beginning(long.subarray(0, 4096)));
    for (const length of [0, 11, 12, 4095]) expect(await beginning(long.subarray(0, length))).not.toBe(await beginning(long));
    const none = Buffer.alloc(5000, 'y');
    expect(await beginning(none)).toBe(await beginning(none.subarray(0, 4096)));
  });
});
