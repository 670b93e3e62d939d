import { crc32c as nativeCrc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineCrc32c, crc32c, maskedCrc } from './index.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

describe('crc32c', () => {
  it('computes the values of the protocol reference A.2 (E.1)', () => {
    expect(crc32c(0, new Uint8Array(32))).toBe(0x8a9136aa);
    expect(maskedCrc(crc32c(0, Buffer.from('\x1a\x11CRC test, one two', 'latin1')))).toBe(0x5794d08a);
    expect(maskedCrc(crc32c(0, Uint8Array.of(0x18, 0, 0, 0, 0, 0, 0, 0)))).toBe(0x224b7fa3);
    expect(maskedCrc(crc32c(0, Buffer.from('090000803899d6d7411a0d' + Buffer.from('brain.Event:2').toString('hex'), 'hex')))).toBe(
      0xab364b12,
    );
  });

  it('agrees with the native implementation, on any part of a buffer', () => {
    fc.assert(
      fc.property(bytes, fc.nat(200), fc.nat(200), (buf, a, b) => {
        const [start, end] = [Math.min(a, b, buf.length), Math.min(Math.max(a, b), buf.length)];
        expect(crc32c(0, buf, start, end)).toBe(nativeCrc32c(Buffer.from(buf.subarray(start, end))));
      }),
    );
  });

  it('continues from an earlier call', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(crc32c(crc32c(0, a), b)).toBe(crc32c(0, Buffer.concat([a, b])));
      }),
    );
  });
});

describe('combineCrc32c', () => {
  it('computes the CRC of both parts together', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(combineCrc32c(crc32c(0, a), crc32c(0, b), b.length)).toBe(crc32c(0, Buffer.concat([a, b])));
      }),
    );
  });

  it('is associative for lengths beyond 32 bits', () => {
    const length = fc.integer({ min: 0, max: 2 ** 51 });
    const crc = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(crc, crc, crc, length, length, (a, b, c, lengthB, lengthC) => {
        const left = combineCrc32c(combineCrc32c(a, b, lengthB), c, lengthC);
        expect(left).toBe(combineCrc32c(a, combineCrc32c(b, c, lengthC), lengthB + lengthC));
      }),
    );
  });

  it('rejects an invalid length', () => {
    for (const length of [-1, 0.5, 2 ** 53, NaN]) expect(() => combineCrc32c(1, 2, length)).toThrow(RangeError);
  });
});
