import { expect, it } from 'vitest';
import { type ChartLine, chartLine, meanLine, readSeries } from '#charts';
import { entryNote } from './tooltip.ts';
import { rawLine } from './testing/raw-line.ts';

const bucket = (min: number | string, max: number | string, nan: number, positive = 0): ChartLine =>
  chartLine(
    readSeries({
      run: 'a',
      tag: 't',
      sampling: 'minmax',
      source_points: 12,
      columns: {
        step: [0],
        last_step: [11],
        count: [12],
        first: [1],
        last: [1],
        min: [min],
        max: [max],
        wall_time: [0],
        nan_count: [nan],
        inf_count: [positive],
        neg_inf_count: [0],
      },
    }),
    { xAxis: 'step', smoothing: 0 },
  );

it('shows the minimum and maximum of a bucket, and how many values are not finite', () => {
  const note = (line: ChartLine) => entryNote({ line, index: 0 });
  expect(note(bucket(0.5, 2.375e-4, 0))).toBe('12 points in steps 0–11: 0.5 to 0.0002375');
  expect(note(bucket(0.5, 'Infinity', 2, 1))).toBe('12 points in steps 0–11: 0.5 to ∞, 2 × NaN, 1 × ∞');
  expect(note(bucket('NaN', 'NaN', 12))).toBe('12 points in steps 0–11: 12 × NaN');
});

it('shows what a mean excludes', () => {
  const group = meanLine('g', [rawLine('a', [1, 2]), rawLine('b', ['NaN', 4]), rawLine('c', ['Infinity', 6])], 'minmax');
  expect(entryNote({ line: group, index: 0 })).toBe('mean of 1 run, 1 to 1, 1 × NaN, 1 × ∞');
  expect(entryNote({ line: group, index: 1 })).toBe('mean of 3 runs, 2 to 6');
  const none = meanLine('g', [rawLine('a', ['NaN']), rawLine('b', ['NaN'])], 'minmax');
  expect(entryNote({ line: none, index: 0 })).toBe('mean of 0 runs, 2 × NaN');
});

it('shows a value in full if the table rounds it', () => {
  expect(entryNote({ line: rawLine('a', [1_234_567_891.25]), index: 0 })).toBe('exactly 1234567891.25');
  expect(entryNote({ line: rawLine('a', [20_240_101]), index: 0 })).toBe('');
});
