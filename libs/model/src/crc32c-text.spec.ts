import { expect, it } from 'vitest';
import { crc32cDigest, crc32cHex } from './crc32c-text.ts';

it.each([
  [0, '00000000', 'crc32c=:AAAAAA==:'],
  [1, '00000001', 'crc32c=:AAAAAQ==:'],
  [0xe3069283, 'e3069283', 'crc32c=:4waSgw==:'], // the check value of the polynomial: of "123456789"
  [0xffffffff, 'ffffffff', 'crc32c=://///w==:'],
])('writes %d as %s and %s', (crc, hex, digest) => {
  expect(crc32cHex(crc)).toBe(hex);
  expect(crc32cDigest(crc)).toBe(digest);
});
