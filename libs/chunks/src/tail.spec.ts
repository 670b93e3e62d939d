import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileIdOf, seriesIdOf } from '#model/testing';
import { CorruptChunkError } from './chunk.ts';
import { slicePoints } from './point-slices.ts';
import { decodeTail, encodeTail, mergeTails, type TailEntry } from './tail.ts';
import { anyPoints, bits, noisyPoints } from './testing/point-arbitraries.ts';

const anyEntry = (minLength: number): fc.Arbitrary<TailEntry> =>
  fc.record({
    seriesId: fc
      .oneof(fc.integer({ min: 1, max: 2 ** 50 }).map(String), fc.constantFrom('9007199254740993', '9223372036854775807'))
      .map(seriesIdOf),
    fileId: fc.oneof(fc.integer({ min: 1, max: 30 }).map(String), fc.constant('9223372036854775807')).map(fileIdOf),
    firstOrdinal: fc.integer({ min: 0, max: 2 ** 40 }),
    afterOffset: fc.constantFrom(0, 17, 2 ** 45),
    points: anyPoints({ minLength, maxLength: 30 }),
  });

function comparable(entries: readonly TailEntry[]): unknown[] {
  return entries.map(({ points, ...rest }) => ({
    ...rest,
    steps: [...points.steps],
    wallTimes: bits(points.wallTimes),
    values: bits(points.values),
  }));
}

/** Twenty tags of one training loop, 113 µs apart, as logged by torch. */
function trainingLoop(count: number): TailEntry[] {
  const clock = noisyPoints({ count, clock: 'nanoseconds', float32: true, seed: 1 });
  return Array.from({ length: 20 }, (_, tag) => ({
    seriesId: seriesIdOf(String(4000 + tag)),
    fileId: fileIdOf('77'),
    firstOrdinal: 12_345,
    afterOffset: 0,
    points: {
      steps: clock.steps.map((step) => step + 12_345n),
      wallTimes: clock.wallTimes.map((wallTime, i) => wallTime + tag * 113e-6 + 3e-6 * ((i * 7 + tag * 3) % 5)),
      values: noisyPoints({ count, clock: 'nanoseconds', float32: true, seed: 2 + tag }).values,
    },
  }));
}

/** Points with close wall times that are not whole microseconds: they are stored as their bits. */
function entryNear(wallTime: number): fc.Arbitrary<TailEntry> {
  return fc
    .record({ entry: anyEntry(1), seconds: fc.array(fc.double({ min: -2e6, max: 2e6, noNaN: true }), { minLength: 90, maxLength: 90 }) })
    .map(({ entry, seconds }) => ({
      ...entry,
      points: { ...entry.points, wallTimes: entry.points.wallTimes.map((_, i) => wallTime + seconds[i % seconds.length]!) },
    }));
}

/**
 * Points with wall times that each grow or shrink by a factor: their bits drift so far that sums of
 * the differences are not exact in float64.
 */
function entryGrowing(factor: number): fc.Arbitrary<TailEntry> {
  return fc.record({ entry: anyEntry(1), first: fc.double({ min: 1000, max: 1100, noNaN: true }) }).map(({ entry, first }) => ({
    ...entry,
    points: { ...entry.points, wallTimes: entry.points.wallTimes.map((_, i) => first * factor ** i) },
  }));
}

describe('a tail block', () => {
  it('is compressed above a certain size, and read in both forms', () => {
    for (const [count, packed] of [
      [3, 2], // a commit
      [300, 3],
    ] as const) {
      const block = encodeTail(trainingLoop(count));
      expect(block[1]).toBe(packed);
      expect(comparable(decodeTail(block))).toEqual(comparable(trainingLoop(count)));
    }
  });

  it('keeps every entry bit for bit', () => {
    fc.assert(
      fc.property(fc.array(anyEntry(1), { maxLength: 8 }), (entries) => {
        expect(comparable(decodeTail(encodeTail(entries)))).toEqual(comparable(entries));
      }),
      { numRuns: 400 },
    );
  });

  it('decodes the requested series as if all were decoded', () => {
    const entries = fc.oneof(
      fc.array(anyEntry(1), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }).map((count) => trainingLoop(count).slice(0, 6)),
      fc.array(entryNear(1_780_000_000), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0.9, 1.1).chain((factor) => fc.array(entryGrowing(factor), { minLength: 1, maxLength: 6 })),
    );
    fc.assert(
      fc.property(entries, fc.array(fc.nat(7), { maxLength: 4 }), (all, picks) => {
        const block = encodeTail(all);
        const wanted = new Set(picks.map((i) => all[i]?.seriesId ?? 'none'));
        expect(comparable(decodeTail(block, wanted))).toEqual(comparable(all.filter((entry) => wanted.has(entry.seriesId))));
      }),
      { numRuns: 400 },
    );
  });

  it("shares steps and clock between series, and keeps each series' own", () => {
    for (const count of [1, 2, 50]) {
      const entries = trainingLoop(count);
      expect(comparable(decodeTail(encodeTail(entries)))).toEqual(comparable(entries));
    }
  });

  it('takes less than 9 bytes per point for 20 series of one point', () => {
    expect(encodeTail(trainingLoop(1)).length / 20).toBeLessThan(9);
  });

  it('keeps series in any order, from any file, with any counts, in runs and without', () => {
    const any = fc.record({
      id: fc.integer({ min: 1, max: 1e15 - 1 }),
      count: fc.integer({ min: 1, max: 4 }),
      firstOrdinal: fc.integer({ min: 0, max: 2 ** 40 }),
      place: fc.constantFrom(
        { fileId: fileIdOf('77'), afterOffset: 0 },
        { fileId: fileIdOf('77'), afterOffset: 9 },
        { fileId: fileIdOf('78'), afterOffset: 0 },
      ),
    });
    const forms = new Set<number>();
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), fc.boolean(), fc.boolean(), (some, anyIds, sameCounts) => {
        const loop = trainingLoop(4);
        const entries = some.map(({ id, count, firstOrdinal, place }, i) => ({
          ...place,
          seriesId: seriesIdOf(String(anyIds ? id : 4_000 + i)),
          firstOrdinal: sameCounts ? 12 : firstOrdinal,
          points: slicePoints(loop[i % loop.length]!.points, 0, sameCounts ? 2 : count),
        }));
        const block = encodeTail(entries);
        forms.add(block[1]!);
        expect(comparable(decodeTail(block))).toEqual(comparable(entries));
      }),
    );
    expect(forms).toEqual(new Set([0, 2]));
  });

  it('reads blocks of the format before runs, compressed and not', () => {
    const entry = (seriesId: string, fileId: string, firstOrdinal: number, afterOffset: number, count: number): TailEntry => ({
      seriesId: seriesIdOf(seriesId),
      fileId: fileIdOf(fileId),
      firstOrdinal,
      afterOffset,
      points: {
        steps: BigInt64Array.from({ length: count }, (_, i) => BigInt(i)),
        wallTimes: Float64Array.from({ length: count }, (_, i) => 1_780_000_000 + i),
        values: new Float64Array(count).fill(0.5),
      },
    });
    const written = '0100024d004e11020001a01fa11f0a090202040500020180809abbd1b9a90680897a00000000000000000000000000003f3f3f3f3f2ea134';
    expect(comparable(decodeTail(Buffer.from(written, 'hex')))).toEqual(
      comparable([entry('4000', '77', 5, 0, 2), entry('4001', '78', 0, 17, 2)]),
    );
    const packed = 'AQEotS/9YNFcbQEA2AFNAAEAoB8AuBcEAAIBgICau9G5qQaAiXoAPwQAtAO+kAwcfz+Gjk9m54MvNZeB/w==';
    expect(comparable(decodeTail(Buffer.from(packed, 'base64')))).toEqual(comparable([entry('4000', '77', 0, 0, 3_000)]));
  });

  it('takes less than 8 bytes per point as a part of a live run, without compression', () => {
    const part = encodeTail(trainingLoop(13));
    expect(part[1]).toBe(2);
    expect(part.length / (20 * 13)).toBeLessThan(8);
  });

  it('takes no more than a chunk where series have many points, since steps and clock are stored once', () => {
    expect(encodeTail(trainingLoop(200)).length / (20 * 200)).toBeLessThan(4.6);
  });

  it('allocates nothing for points that it only claims', () => {
    const claim = Buffer.of(0xfe, 0xff, 0xff, 0xff, 0xff, 0x0f);
    // Sources, entries, and their columns up to the count of points; as runs: differences and
    // repeat counts.
    const each = [1, 0, 1, 1, 0, 1, 0, 1, 0];
    const points = [1, 2, 1, 1, 0, 1, 0, 1, 2, 1, 0, 1];
    const entries = [1, 2, 1, 1, 0];
    for (const [before, what] of [
      [each, 'points'],
      [points, 'points'],
      [entries, 'entries'],
    ] as const) {
      const content = Buffer.concat([Buffer.from(before), claim, Buffer.of(1, 0, 1), Buffer.alloc(12)]);
      const sealed = Buffer.concat([content, Buffer.alloc(4)]);
      sealed.writeUInt32LE(crc32(content), content.length);
      expect(() => decodeTail(sealed)).toThrow(`claims too many ${what}`);
    }
  });

  it('skips entries without points, and may be empty', () => {
    const [entry] = trainingLoop(3);
    expect(decodeTail(encodeTail([{ ...entry!, points: slicePoints(entry!.points, 0, 0) }]))).toEqual([]);
  });

  it('merges with later blocks: consecutive entries become one', () => {
    fc.assert(
      fc.property(fc.array(anyEntry(2), { minLength: 1, maxLength: 5 }), fc.nat(), (all, at) => {
        const entries = all.map((entry, i) => ({ ...entry, seriesId: seriesIdOf(String(i + 1)) }));
        const half = (entry: TailEntry): number => 1 + (at % (entry.points.steps.length - 1));
        const early = entries.map((entry) => ({ ...entry, points: slicePoints(entry.points, 0, half(entry)) }));
        const late = entries.map((entry) => ({
          ...entry,
          firstOrdinal: entry.firstOrdinal + half(entry),
          points: slicePoints(entry.points, half(entry), entry.points.steps.length),
        }));
        expect(comparable(mergeTails([encodeTail(early), encodeTail(late)]))).toEqual(comparable(entries));
      }),
    );
  });

  it('keeps entries apart that a START or missing ordinals separate', () => {
    const [entry] = trainingLoop(3);
    const others = [
      entry!,
      { ...entry!, firstOrdinal: entry!.firstOrdinal + 9 },
      { ...entry!, firstOrdinal: entry!.firstOrdinal + 12, afterOffset: 5 },
    ];
    expect(comparable(mergeTails(others.map((other) => encodeTail([other]))))).toEqual(comparable(others));
  });

  it('is rejected when a bit flips, and otherwise only causes typed errors', () => {
    const block = encodeTail(trainingLoop(3));
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const damaged = Buffer.from(block);
        damaged[at % block.length]! ^= 1 << bit;
        expect(() => decodeTail(damaged)).toThrow(CorruptChunkError);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 90 }), fc.constantFrom(0, 2), (content, form) => {
        const sealed = Buffer.concat([Buffer.of(1, form), content, Buffer.alloc(4)]);
        sealed.writeUInt32LE(crc32(sealed.subarray(0, -4)), sealed.length - 4);
        try {
          const points = decodeTail(sealed).reduce((sum, entry) => sum + entry.points.steps.length, 0);
          expect(points * 4).toBeLessThanOrEqual(content.length);
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptChunkError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
