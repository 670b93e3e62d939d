import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { constantStride } from './int64-column.ts';
import { type CellPoints, rollup, rollups } from './rollup.ts';
import { naiveStatistics } from './testing/naive.ts';
import { anyPoints } from './testing/point-arbitraries.ts';

function expectCells(points: PointColumns, cellPoints: CellPoints): void {
  const cells = rollup(points, cellPoints);
  const count = points.steps.length;
  expect(cells.count).toBe(count);
  expect(cells.first.length).toBe(Math.ceil(count / cellPoints));
  const stride = constantStride(points.steps);
  expect(cells.firstStep === null).toBe(stride !== null);
  for (let cell = 0; cell < cells.first.length; cell++) {
    const from = cell * cellPoints;
    const naive = naiveStatistics(points, from, Math.min(from + cellPoints, count));
    expect(cells.allNaN[cell]).toBe(naive.min === null ? 1 : 0);
    expect([cells.first[cell], cells.last[cell], cells.min[cell], cells.max[cell], cells.wall[cell]]).toEqual([
      naive.first,
      naive.last,
      naive.min ?? Number.NaN,
      naive.max ?? Number.NaN,
      naive.wallTime,
    ]);
    const steps = cells.firstStep
      ? [cells.firstStep[cell], cells.lastStep![cell], cells.minStep![cell], cells.maxStep![cell]]
      : [naive.step, naive.lastStep, points.steps[from + cells.minAt![cell]!], points.steps[from + cells.maxAt![cell]!]];
    expect(steps).toEqual([naive.step, naive.lastStep, naive.minStep ?? naive.step, naive.maxStep ?? naive.step]);
  }
  const all = [...cells.first, ...cells.last, ...cells.min, ...cells.max];
  expect(cells.float32).toBe(all.every((value) => Object.is(Math.fround(value), value)));
}

describe('rollups', () => {
  it('equal those of a naive scan, in cells of 64 and of 512', () => {
    fc.assert(
      fc.property(anyPoints({ minLength: 1, maxLength: 1300 }), (points) => {
        expectCells(points, 64);
        expectCells(points, 512);
      }),
      { numRuns: 150 },
    );
  });

  it('of both widths at once equal those of each width', () => {
    const [points] = fc.sample(anyPoints({ minLength: 600, maxLength: 700 }), { numRuns: 1, seed: 7 });
    expect(rollups(points!)).toEqual({ cells64: rollup(points!, 64), cells512: rollup(points!, 512) });
  });
});
