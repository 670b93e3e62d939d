import { expect, it } from 'vitest';
import { chartScales, plainView } from '#charts';
import { readLines, tableRows } from './readout.ts';
import { rawLine } from './testing/raw-line.ts';

const lines = [rawLine('low', [0, 0, 0, 0, 0]), rawLine('high', [10, 10, 10, 10, 10]), rawLine('short', [5, 5])];
const scales = chartScales(lines, plainView)!;
const at = (left: number, top: number) => readLines(lines, scales, { left, top, width: 400, height: 100 });

it('lists the nearest line first, at its nearest point', () => {
  expect(at(111, 2).map(({ line: { run }, index }) => [run, index])).toEqual([
    ['high', 1],
    ['short', 1],
    ['low', 1],
  ]);
  expect(at(111, 99)[0]!.line.run).toBe('low');
});

it('skips a line far beyond its end', () => {
  expect(at(300, 50).map(({ line: { run } }) => run)).not.toContain('short');
});

it('lists values that are not finite last', () => {
  const odd = [rawLine('nan', [1, 'NaN', 1]), rawLine('far', [9, 9, 9])];
  const readings = readLines(odd, chartScales(odd, plainView)!, { left: 200, top: 100, width: 400, height: 100 });
  expect(readings.map(({ line: { run } }) => run)).toEqual(['far', 'nan']);
});

it('lists nothing without lines', () => {
  expect(readLines([rawLine('none', [])], scales, { left: 0, top: 0, width: 400, height: 100 })).toEqual([]);
});

it('sorts the rows of a table as requested, and always includes the nearest one', () => {
  const many = [rawLine('c', [3, 3]), rawLine('a', [1, 1]), rawLine('nan', ['NaN', 'NaN']), rawLine('b', [2, 2])];
  const readings = readLines(many, chartScales(many, plainView)!, { left: 0, top: 90, width: 400, height: 100 });
  const rows = (...how: [Parameters<typeof tableRows>[1], number]) => tableRows(readings, ...how).map(({ line: { run } }) => run);
  expect(rows('nearest', 2)).toEqual(['a', 'b']);
  expect(rows('descending', 8)).toEqual(['c', 'b', 'a', 'nan']);
  expect(rows('descending', 2)).toEqual(['c', 'a']);
  expect(rows('ascending', 8)).toEqual(['a', 'b', 'c', 'nan']);
  expect(rows('alphabetical', 8)).toEqual(['a', 'b', 'c', 'nan']);
  expect(tableRows([], 'descending', 8)).toEqual([]);
});
