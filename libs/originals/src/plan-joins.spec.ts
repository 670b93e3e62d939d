import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LooseSegment, maxJoinedBytes, minJoined, planJoins } from './plan-joins.ts';

/** Adjacent segments of these lengths, following gaps left by other segments. */
function layout(lengths: readonly number[], gaps: ReadonlyMap<number, number> = new Map()): LooseSegment[] {
  let offset = 0;
  return lengths.map((length, i) => {
    offset += gaps.get(i) ?? 0;
    const segment = { offset, length };
    offset += length;
    return segment;
  });
}

/** A file's segments after its joins. */
function joinAll(segments: readonly LooseSegment[], onCopy: (bytes: number) => void): LooseSegment[] {
  const loose = segments.filter(({ length }) => length < maxJoinedBytes / 2);
  const groups = planJoins(loose);
  const gone = new Set(groups.flat());
  const joined = groups.map((group) => ({ offset: group[0]!.offset, length: group.reduce((sum, { length }) => sum + length, 0) }));
  for (const { length } of joined) onCopy(length);
  return [...segments.filter((segment) => !gone.has(segment)), ...joined].sort((a, b) => a.offset - b.offset);
}

describe('planJoins', () => {
  it('leaves few segments alone', () => {
    expect(planJoins([])).toEqual([]);
    expect(planJoins(layout(Array.from({ length: minJoined - 1 }, () => 100)))).toEqual([]);
    expect(planJoins(layout(Array.from({ length: minJoined }, () => 100)))).toHaveLength(1);
  });

  it('joins adjacent segments only, each once, up to the maximum', () => {
    const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: maxJoinedBytes / 2 - 1 })), {
      maxLength: 600,
    });
    const gaps = fc.array(fc.tuple(fc.nat(599), fc.integer({ min: 1, max: 9 })), { maxLength: 3 });
    fc.assert(
      fc.property(lengths, gaps, (all, between) => {
        const segments = layout(all, new Map(between));
        const groups = planJoins(segments);
        const joined = groups.flat();
        expect(joined).toEqual(segments.filter((segment) => joined.includes(segment)));
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(1);
          group.slice(1).forEach(({ offset }, i) => expect(offset).toBe(group[i]!.offset + group[i]!.length));
          expect(group.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(maxJoinedBytes);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a row of metrics each second', () => 60, 400_000, 16],
    ['records of all sizes', (i: number) => 40 + ((i * 7_919) % 3_000), 40_000, 12],
    ['an occasional large record', (i: number) => (i % 300 === 0 ? 1_000_000 : 80), 40_000, 8],
  ])('keeps the segments of a file that grows few, and copies each byte few times: %s', (_, lengthOf, count, maxCopies) => {
    let segments: LooseSegment[] = [];
    let offset = 0;
    let copied = 0;
    let max = 0;
    for (let i = 0; i < count; i++) {
      segments.push({ offset, length: lengthOf(i) });
      offset += lengthOf(i);
      if (i % 256 !== 255) continue;
      segments = joinAll(segments, (bytes) => (copied += bytes));
      max = Math.max(max, segments.length - offset / (maxJoinedBytes / 2));
    }
    expect(segments.reduce((end, segment) => (segment.offset === end ? end + segment.length : NaN), 0)).toBe(offset);
    expect(max).toBeLessThan(2 * minJoined);
    expect(copied / offset).toBeLessThan(maxCopies);
  });
});
