import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frameRecords } from '#records/testing';
import { decodeSegment, shrinkSegment } from './segment-encoding.ts';

const records = (count: number, bytes: number): Buffer =>
  Buffer.from(frameRecords(Array.from({ length: count }, (_, i) => Buffer.alloc(bytes, `tag ${i}`))));

it('gives back the bytes in whatever form they were stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(50), fc.nat(400), fc.nat(20), fc.nat(20), async (count, bytes, cutStart, cutEnd) => {
      const whole = records(count, bytes);
      const part = whole.subarray(cutStart, Math.max(whole.length - cutEnd, cutStart));
      const shrunk = await shrinkSegment(part);
      if (!shrunk) return;
      expect(shrunk.stored.length).toBeLessThan(part.length);
      expect((await decodeSegment(shrunk.stored, shrunk.encoding, part.length)).equals(part)).toBe(true);
    }),
  );
});

it('leaves the checksums out where the bytes are whole records, and only there', async () => {
  const whole = records(20, 44);
  expect((await shrinkSegment(whole))!.encoding).toBe(2);
  expect((await shrinkSegment(whole.subarray(1)))!.encoding).toBe(1);
  expect((await shrinkSegment(whole.subarray(0, -1)))!.encoding).toBe(1);
});

it('leaves alone what does not become shorter', async () => {
  expect(await shrinkSegment(randomBytes(20_000))).toBeNull();
  expect(await shrinkSegment(Buffer.alloc(100))).toBeNull();
});
