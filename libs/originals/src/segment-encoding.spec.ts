import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frameRecords } from '#records/testing';
import { decodeIndex, encodeIndex } from './original-index.ts';
import { decodeSegment, isNoDamage, shrinkSegment, UnknownEncoding } from './segment-encoding.ts';

const records = (count: number, bytes: number): Buffer =>
  Buffer.from(frameRecords(Array.from({ length: count }, (_, i) => Buffer.alloc(bytes, `tag ${i}`))));

it('returns the bytes, whatever the encoding', async () => {
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

it('leaves out the checksums if the bytes are whole records, and only then', async () => {
  const whole = records(20, 44);
  expect((await shrinkSegment(whole))!.encoding).toBe(2);
  expect((await shrinkSegment(whole.subarray(1)))!.encoding).toBe(1);
  expect((await shrinkSegment(whole.subarray(0, -1)))!.encoding).toBe(1);
});

it('stores bytes unchanged if encoding does not shorten them', async () => {
  expect(await shrinkSegment(randomBytes(20_000))).toBeNull();
  expect(await shrinkSegment(Buffer.alloc(100))).toBeNull();
});

it('reports an unknown encoding, not damaged bytes', async () => {
  const failure = await decodeSegment(Buffer.alloc(10), 9, 10).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnknownEncoding);
  expect(isNoDamage(failure)).toBe(true);
  const frame = { offset: 0, bytes: 10, crc32c: 1, storedOffset: 0, storedBytes: 10 };
  const index = (codec: number): Buffer => encodeIndex({ bytes: 10, crc32c: 1, frames: [{ ...frame, codec: codec as 0 }] });
  expect(decodeIndex(index(2)).frames).toEqual([{ ...frame, codec: 2 }]);
  expect(() => decodeIndex(index(9))).toThrow(UnknownEncoding);
});
