import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileIdOf, seriesIdOf } from '#model/testing';
import { decodeTail, type TailEntry } from './tail.ts';
import { encodeTailParts } from './tail-parts.ts';
import { anyPoints, bits } from './testing/point-arbitraries.ts';

const anyEntry: fc.Arbitrary<TailEntry> = fc.record({
  seriesId: fc
    .oneof(fc.integer({ min: 1, max: 12 }).map(String), fc.constantFrom('9007199254740993', '9223372036854775807'))
    .map(seriesIdOf),
  fileId: fc.integer({ min: 1, max: 3 }).map((id) => fileIdOf(String(id))),
  firstOrdinal: fc.nat(1_000),
  afterOffset: fc.constant(0),
  points: anyPoints({ minLength: 0, maxLength: 90 }),
});

/** The entries of each series, in order. */
function bySeries(entries: readonly TailEntry[]): Record<string, unknown> {
  const comparable = entries
    .filter(({ points }) => points.steps.length > 0)
    .map(({ points, ...rest }) => ({ ...rest, steps: [...points.steps], wallTimes: bits(points.wallTimes), values: bits(points.values) }));
  return Object.fromEntries(Map.groupBy(comparable, ({ seriesId }) => seriesId));
}

describe('parts of a tail', () => {
  it('hold every entry once, each series in one part and in order, and list their series', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 24 }), (entries) => {
        const parts = encodeTailParts(entries);
        const decoded = parts.map(({ body }) => decodeTail(body));
        expect(bySeries(decoded.flat())).toEqual(bySeries(entries));
        let before = -1n;
        parts.forEach(({ firstSeries, lastSeries, points }, i) => {
          const ids = decoded[i]!.map(({ seriesId }) => BigInt(seriesId)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          expect([BigInt(firstSeries), BigInt(lastSeries)]).toEqual([ids[0], ids.at(-1)]);
          expect(BigInt(firstSeries)).toBeGreaterThan(before);
          before = BigInt(lastSeries);
          expect(points).toBe(decoded[i]!.reduce((sum, entry) => sum + entry.points.steps.length, 0));
        });
      }),
      { numRuns: 300 },
    );
  });

  it('are one part for an ordinary commit, and one part per series where each has many points', () => {
    const entries = (count: number): TailEntry[] =>
      Array.from({ length: 20 }, (_unused, tag) => ({
        seriesId: seriesIdOf(String(95 + tag)), // 9 precedes 10 only as numbers
        fileId: fileIdOf('1'),
        firstOrdinal: 0,
        afterOffset: 0,
        points: {
          steps: BigInt64Array.from({ length: count }, (_, i) => BigInt(i)),
          wallTimes: new Float64Array(count).fill(1_780_000_000),
          values: new Float64Array(count),
        },
      }));
    expect(encodeTailParts(entries(3)).map(({ firstSeries, lastSeries }) => [firstSeries, lastSeries])).toEqual([['95', '114']]);
    expect(encodeTailParts(entries(1_000)).map(({ firstSeries, lastSeries }) => [firstSeries, lastSeries])).toEqual(
      entries(1).map(({ seriesId }) => [seriesId, seriesId]),
    );
    expect(encodeTailParts(entries(0))).toEqual([]);
  });
});
