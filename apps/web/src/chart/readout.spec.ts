import { expect, it } from 'vitest';
import { chartLine, chartScales, plainView, readSeries } from '#charts';
import { readLines, tableRows } from './readout.ts';

const line = (run: string, values: readonly (number | string)[]) =>
  chartLine(
    readSeries({
      run,
      tag: 't',
      sampling: 'raw',
      source_points: values.length,
      columns: { step: values.map((_, i) => i * 10), wall_time: values.map((_, i) => i), value: values },
    }),
    { ...plainView, smoothing: 0 },
  );

const lines = [line('low', [0, 0, 0, 0, 0]), line('high', [10, 10, 10, 10, 10]), line('short', [5, 5])];
const scales = chartScales(lines, plainView)!;
const at = (left: number, top: number) => readLines(lines, scales, { left, top, width: 400, height: 100 });

it('reads the nearest line first, at its nearest point', () => {
  expect(at(111, 2).map(({ line: { run }, index }) => [run, index])).toEqual([
    ['high', 1],
    ['short', 1],
    ['low', 1],
  ]);
  expect(at(111, 99)[0]!.line.run).toBe('low');
});

it('does not read a line far beyond its end', () => {
  expect(at(300, 50).map(({ line: { run } }) => run)).not.toContain('short');
});

it('reads what is no number last', () => {
  const odd = [line('nan', [1, 'NaN', 1]), line('far', [9, 9, 9])];
  const readings = readLines(odd, chartScales(odd, plainView)!, { left: 200, top: 100, width: 400, height: 100 });
  expect(readings.map(({ line: { run } }) => run)).toEqual(['far', 'nan']);
});

it('reads nothing where there is nothing', () => {
  expect(readLines([line('none', [])], scales, { left: 0, top: 0, width: 400, height: 100 })).toEqual([]);
});

it('puts the rows of a table into an order of choice, the nearest one always among them', () => {
  const many = [line('c', [3, 3]), line('a', [1, 1]), line('nan', ['NaN', 'NaN']), line('b', [2, 2])];
  const readings = readLines(many, chartScales(many, plainView)!, { left: 0, top: 90, width: 400, height: 100 });
  const rows = (...how: [Parameters<typeof tableRows>[1], number]) => tableRows(readings, ...how).map(({ line: { run } }) => run);
  expect(rows('nearest', 2)).toEqual(['a', 'b']);
  expect(rows('descending', 8)).toEqual(['c', 'b', 'a', 'nan']);
  expect(rows('descending', 2)).toEqual(['c', 'a']);
  expect(rows('ascending', 8)).toEqual(['a', 'b', 'c', 'nan']);
  expect(rows('alphabetical', 8)).toEqual(['a', 'b', 'c', 'nan']);
  expect(tableRows([], 'descending', 8)).toEqual([]);
});
