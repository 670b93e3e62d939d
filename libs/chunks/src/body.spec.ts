import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { decodeBody, encodeBody } from './body.ts';
import { type ChunkBody, CorruptChunkError, maxChunkPoints, type Ordinals } from './chunk.ts';
import { newPoints } from './point-slices.ts';
import { anyPoints, bits, noisyPoints, pointsOf } from './testing/point-arbitraries.ts';

const regular: Ordinals = { first: 0, column: null };

function expectSame(actual: ChunkBody, points: PointColumns, ordinals: Ordinals): void {
  expect(actual.points.steps).toEqual(points.steps);
  expect(bits(actual.points.wallTimes)).toEqual(bits(points.wallTimes));
  expect(bits(actual.points.values)).toEqual(bits(points.values));
  expect(actual.ordinals).toEqual(ordinals);
}

const buffer = newPoints(maxChunkPoints);

/** Decodes into new columns, and over previously decoded columns. */
function expectBack(points: PointColumns, ordinals: Ordinals): void {
  const body = encodeBody(points, ordinals);
  expectSame(decodeBody(body), points, ordinals);
  expectSame(decodeBody(body, buffer), points, ordinals);
}

/** Replaces the checksum, so that only the decoder can detect the damage. */
function resealed(body: Buffer): Buffer {
  const sealed = Buffer.from(body);
  sealed.writeUInt32LE(crc32(sealed.subarray(0, -4)), sealed.length - 4);
  return sealed;
}

describe('a chunk body', () => {
  it('keeps every point bit for bit', () => {
    fc.assert(
      fc.property(anyPoints({ minLength: 1, maxLength: 700 }), (points) => {
        expectBack(points, regular);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps noisy curves, whatever the clock and the number type', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: maxChunkPoints }),
        fc.constantFrom('nanoseconds' as const, 'microseconds' as const, 'seconds' as const),
        fc.boolean(),
        fc.integer(),
        (count, clock, float32, seed) => {
          const points = noisyPoints({ count, clock, float32, seed });
          expectBack(points, regular);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps NaN, infinities, negative zero, the limits of int64 and odd wall times', () => {
    const points = pointsOf([
      [-(2n ** 63n), 0, Number.NaN],
      [2n ** 63n - 1n, -0, -0],
      [0n, 5e-324, Infinity],
      [-1n, Number.MAX_VALUE, -Infinity],
      [7n, -Infinity, 1e-45],
      [7n, Number.NaN, 0.1],
      [8n, -1.5, Number.MAX_VALUE],
    ]);
    for (let from = 0; from < 7; from++) {
      const some = pointsOf(
        Array.from({ length: 7 - from }, (_, i) => [points.steps[from + i]!, points.wallTimes[from + i]!, points.values[from + i]!]),
      );
      expectBack(some, regular);
    }
  });

  it('makes all NaNs the same', () => {
    const values = new Float64Array([0, 0.1]);
    new BigUint64Array(values.buffer)[0] = 0xfff4_0000_0000_0001n;
    const points = { steps: new BigInt64Array(2), wallTimes: new Float64Array(2), values };
    expect(bits(decodeBody(encodeBody(points, regular)).points.values)[0]).toBe(0x7ff8_0000_0000_0000n);
  });

  it('keeps irregular ordinals', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 2, maxLength: 600 }), (unsorted) => {
        const column = Float64Array.from(unsorted.sort((a, b) => a - b));
        const points = noisyPoints({ count: column.length, clock: 'nanoseconds', float32: true, seed: 1 });
        const ordinals = { first: column[0]!, column };
        expectBack(points, ordinals);
      }),
    );
  });

  it('takes about five bytes per point for float32 noise of 5 % and 2 ms of jitter', () => {
    const points = noisyPoints({ count: maxChunkPoints, clock: 'nanoseconds', float32: true, seed: 3 });
    expect(encodeBody(points, regular).length / maxChunkPoints).toBeLessThan(4.9);
  });

  it('takes no more for a curve below zero', () => {
    const points = noisyPoints({ count: maxChunkPoints, clock: 'nanoseconds', float32: true, seed: 3 });
    const below = { ...points, values: points.values.map((value) => 0.001 - value).map(Math.fround) };
    expect(encodeBody(below, regular).length / maxChunkPoints).toBeLessThan(4.9);
  });

  it('takes almost nothing for regular points', () => {
    const steps = BigInt64Array.from({ length: maxChunkPoints }, (_, i) => BigInt(i) * 10n);
    const wallTimes = Float64Array.from({ length: maxChunkPoints }, (_, i) => 1.7e9 + i / 4);
    const points = { steps, wallTimes, values: new Float64Array(maxChunkPoints).fill(0.1) };
    expect(encodeBody(points, regular).length).toBeLessThan(64);
  });

  it('rejects more points than its maximum, and none', () => {
    const tooMany = noisyPoints({ count: maxChunkPoints + 1, clock: 'seconds', float32: true, seed: 1 });
    expect(() => encodeBody(tooMany, regular)).toThrow(RangeError);
    expect(() => encodeBody(pointsOf([]), regular)).toThrow(RangeError);
  });
});

describe('a damaged chunk body', () => {
  const bodies = [20, 300].map((count) => encodeBody(noisyPoints({ count, clock: 'nanoseconds', float32: true, seed: 5 }), regular));

  it('is rejected when any bit flips', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.nat(), fc.integer({ min: 0, max: 7 }), (body, at, bit) => {
        const damaged = Buffer.from(body);
        damaged[at % body.length]! ^= 1 << bit;
        expect(() => decodeBody(damaged)).toThrow(CorruptChunkError);
      }),
      { numRuns: 500 },
    );
  });

  it('is rejected when it is truncated anywhere', () => {
    for (const body of bodies) {
      for (let length = 0; length < body.length; length += 7) expect(() => decodeBody(body.subarray(0, length))).toThrow(CorruptChunkError);
    }
  });

  it('is rejected when it is truncated anywhere and its checksum recomputed', () => {
    const endsInRawPlane = encodeBody(
      pointsOf([
        [0n, 0, 1],
        [1n, 0, -1],
      ]),
      regular,
    );
    for (const body of [...bodies, endsInRawPlane]) {
      for (let length = 6; length < body.length; length++) {
        expect(() => decodeBody(resealed(Buffer.from(body.subarray(0, length))))).toThrow(CorruptChunkError);
      }
    }
  });

  it('gives either bounded points or a typed error, even with a valid checksum', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ minLength: 6, maxLength: 80 }), fc.constantFrom(...bodies)),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (bytes, changes) => {
          const damaged = Buffer.from(bytes);
          for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
          damaged[0] = 1;
          try {
            expect(decodeBody(resealed(damaged)).points.steps.length).toBeLessThanOrEqual(maxChunkPoints);
          } catch (error) {
            expect(error).toBeInstanceOf(CorruptChunkError);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});
