import { describe, expect, it } from 'vitest';
import { chartLine, readSeries } from '#charts';
import { rangeRows, withExact } from './range-rows.ts';

const columns = {
  step: [0, 10, 20],
  last_step: [9, 19, 29],
  count: [10, 10, 5],
  first: [4, 3, 2],
  last: [3, 2, 1],
  min: [2.5, 'NaN', -7],
  max: [9, 'NaN', 2],
  wall_time: [0, 1, 2],
};
const line = chartLine(readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 25, columns }), {
  xAxis: 'step',
  smoothing: 0.9,
});

describe('the table of a part', () => {
  it('says what the points do, whatever is smoothed', () => {
    expect(rangeRows([line], null)).toEqual([{ run: 'a', points: 25, first: 4, last: 1, change: -3, relative: -0.75, min: -7, max: 9 }]);
  });

  it('is of what is seen', () => {
    expect(rangeRows([line], { from: 20, to: 40 })).toMatchObject([{ points: 5, first: 2, last: 1, min: -7, max: 2 }]);
    expect(rangeRows([line], { from: 50, to: 60 })).toEqual([]);
  });

  it('has no number for values that are none', () => {
    const nan = readSeries({
      run: 'a',
      tag: 't',
      sampling: 'raw',
      source_points: 1,
      columns: { step: [1], wall_time: [1], value: ['NaN'] },
    });
    const [row] = rangeRows([chartLine(nan, { xAxis: 'step', smoothing: 0 })], null);
    expect(row).toMatchObject({ points: 1, min: Number.NaN, max: Number.NaN, change: Number.NaN });
  });

  it('counts exactly what is seen, and the points of a group once', () => {
    const exact = (count: number, low: number, high: number) =>
      readSeries({
        run: 'a',
        tag: 't',
        sampling: 'minmax',
        source_points: count,
        columns: { step: [3], last_step: [18], count: [count], first: [5], last: [6], min: [low], max: [high], wall_time: [0] },
      });
    const rows = rangeRows([line], { from: 3, to: 18 });
    expect(rows).toMatchObject([{ points: 10 }]);
    expect(withExact(rows, () => [exact(16, 1, 9)])).toMatchObject([{ points: 16, first: 5, last: 6, change: 1, min: 1, max: 9 }]);
    expect(withExact(rows, () => [exact(16, 1, 9), exact(4, -3, 2)])).toMatchObject([{ points: 20, first: 4, min: -3, max: 9 }]);
    expect(withExact(rows, () => [])).toEqual(rows);
  });
});
