import { expect, test } from 'vitest';
import { crc32c, maskedCrc32c } from './crc32c.ts';

test('known values of CRC-32C and of TFRecord masking', () => {
  expect(crc32c(new Uint8Array(32), 0, 32)).toBe(0x8a9136aa);
  const text = Buffer.from('..CRC test, one two');
  text[0] = 0x1a;
  text[1] = 0x11;
  expect(maskedCrc32c(text, 0, text.length)).toBe(0x5794d08a);
  const length = Buffer.alloc(8);
  length[0] = 0x18;
  expect(maskedCrc32c(length, 0, 8)).toBe(0x224b7fa3);
});

test('a range of a buffer has the same checksum as its copy', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, n) => (n * 37 + 11) & 255);
  for (let from = 0; from < 9; from++) {
    for (let to = from; to < 40; to++) expect(crc32c(bytes, from, to)).toBe(crc32c(bytes.slice(from, to), 0, to - from));
  }
});
