import { describe, expect, it } from 'vitest';
import { chartLine, meanLine, readSeries } from '#charts';
import { numbersByLine, numbersOfEntries, rangeRows, withExact } from './range-rows.ts';

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

describe('the table of a range', () => {
  it('describes raw points, regardless of the smoothing', () => {
    expect(rangeRows([line], null)).toMatchObject([
      { run: 'a', points: 25, first: 4, last: 1, change: -3, relative: -0.75, min: -7, max: 9 },
    ]);
  });

  it('covers the visible range', () => {
    expect(rangeRows([line], { from: 20, to: 40 })).toMatchObject([{ points: 5, first: 2, last: 1, min: -7, max: 2 }]);
    expect(rangeRows([line], { from: 50, to: 60 })).toEqual([]);
  });

  it('has no number for values that are not finite', () => {
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

  const exact = (count: number, low: number, high: number, more: Record<string, number[]> = {}) =>
    numbersOfEntries(
      readSeries({
        run: 'a',
        tag: 't',
        sampling: 'minmax',
        source_points: count,
        columns: { step: [3], last_step: [18], count: [count], first: [5], last: [6], min: [low], max: [high], wall_time: [0], ...more },
      }),
    );

  it('counts exactly what is visible, and the points of a group once', () => {
    const rows = rangeRows([line], { from: 3, to: 18 });
    expect(rows).toMatchObject([{ points: 10, approximate: true }]);
    expect(withExact(rows, () => [exact(16, 1, 9)])).toMatchObject([
      { points: 16, first: 5, last: 6, change: 1, min: 1, max: 9, approximate: false },
    ]);
    expect(withExact(rows, () => [exact(16, 1, 9), exact(4, -3, 2)])).toMatchObject([{ points: 20, first: 4, min: -3, max: 9 }]);
    expect(withExact(rows, () => [])).toEqual(rows);
    const group = meanLine('g', [line, line], 'std');
    expect(rangeRows([group], null)).toMatchObject([{ points: 50 }]);
    const part = rangeRows([group], { from: 3, to: 18 });
    expect(part).toMatchObject([{ points: Number.NaN }]);
    expect(withExact(part, () => [exact(16, 1, 9), exact(16, 1, 9)])).toMatchObject([{ points: 32 }]);
  });

  it('has no exact numbers for a group if one run is unknown', () => {
    const [one, other] = [exact(16, 1, 9), exact(4, 0, 2)];
    const found = numbersByLine([
      { line: 'g', numbers: one },
      { line: 'g', numbers: null },
      { line: 'h', numbers: one },
      { line: 'h', numbers: other },
    ]);
    expect([...found]).toEqual([
      ['g', []],
      ['h', [one, other]],
    ]);
  });

  it('shows infinities of runs and of groups, and counts values that are not finite', () => {
    const counts = { nan_count: [2], inf_count: [3], neg_inf_count: [0] };
    expect(exact(16, 1, Infinity, counts)).toMatchObject({ min: 1, max: Infinity, notFinite: { nan: 2, positive: 3, negative: 0 } });
    const values = [1, 'Infinity', 'NaN', 2, '-Infinity', 3];
    const steps = values.map((_, i) => i);
    const raw = chartLine(
      readSeries({ run: 'b', tag: 't', sampling: 'raw', source_points: 6, columns: { step: steps, wall_time: steps, value: values } }),
      { xAxis: 'step', smoothing: 0 },
    );
    const wanted = { min: -Infinity, max: Infinity, points: 6, notFinite: { nan: 1, positive: 1, negative: 1 } };
    expect(rangeRows([raw], null)).toMatchObject([{ ...wanted, first: 1, last: 3, change: 2, approximate: false }]);
    expect(rangeRows([meanLine('g', [raw, raw], 'std')], null)).toMatchObject([
      { ...wanted, points: 12, notFinite: { nan: 2, positive: 2, negative: 2 } },
    ]);
    expect(rangeRows([raw], { from: 3, to: 3 })).toMatchObject([{ min: 2, max: 2, points: 1, notFinite: { nan: 0 } }]);
  });
});
