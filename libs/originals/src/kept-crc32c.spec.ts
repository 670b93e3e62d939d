import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keptCrc32c, receivedFromKept } from './kept-crc32c.ts';

it('converts between the checksums of received and of kept bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.uint8Array({ maxLength: 50 }), fc.nat(50), (first, rest, cut) => {
      const kept = first.map((byte, i) => (i % 3 === 0 ? byte : 0));
      const prefix = (bytes: Uint8Array, length: number) => crc32c(Buffer.concat([bytes, rest]).subarray(0, length));
      const durableOffset = first.length + rest.length;
      const file = {
        durableOffset,
        crc32c: prefix(first, durableOffset),
        rewrittenBytes: first.length,
        rewrittenCrc32c: crc32c(kept),
        receivedCrc32c: crc32c(first),
      };
      expect(keptCrc32c(file)).toBe(prefix(kept, durableOffset));
      const bytes = Math.min(cut, durableOffset);
      expect(receivedFromKept(file, prefix(kept, bytes), bytes)).toBe(bytes < first.length ? null : prefix(first, bytes));
      const whole = { ...file, rewrittenBytes: 0 };
      expect([keptCrc32c(whole), receivedFromKept(whole, 5, 0)]).toEqual([file.crc32c, 5]);
    }),
  );
});
