import { describe, expect, it } from 'vitest';
import { makeScale, smoothLines } from '#charts';
import { isSeen } from './is-seen.ts';
import { rawLine } from './testing/raw-line.ts';

describe('a line', () => {
  const line = rawLine('a', [0, 10, 'NaN', 100, 100]); // at steps 0, 10, 20 …
  const seen = (x: [number, number], y: [number, number]) => isSeen(line, { x: makeScale('linear', ...x), y: makeScale('linear', ...y) });

  it('is visible where it has a point, or passes through', () => {
    expect(seen([0, 40], [9, 11])).toBe(true);
    expect(seen([2, 8], [4, 6])).toBe(true);
    expect(seen([32, 38], [0, 200])).toBe(true);
  });

  it('is visible where its raw values pass through, far from the smoothed line', () => {
    const [smoothed] = smoothLines([rawLine('a', [0, 0, 0, 0, 100])], 0.99);
    const scales = { x: makeScale('linear', 31, 39), y: makeScale('linear', 60, 90) };
    expect(isSeen(smoothed!, scales)).toBe(true);
    expect(isSeen(smoothed!, { ...scales, y: makeScale('linear', 101, 110) })).toBe(false);
  });

  it('is not visible above and below it, or at a gap', () => {
    expect(seen([0, 40], [120, 130])).toBe(false);
    expect(seen([0, 40], [-5, -1])).toBe(false);
    expect(seen([0, 40], [40, 60])).toBe(false);
    expect(seen([12, 18], [11, 90])).toBe(false);
  });
});
