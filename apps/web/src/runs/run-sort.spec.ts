import { describe, expect, it } from 'vitest';
import { listedRun } from '../api/testing/listed.ts';
import { readRunSort, sortRuns, writeRunSort } from './run-sort.ts';

const runs = ['r1', 'r10', 'r2', 'none'].map((run) => listedRun(run));
const series = [
  { run: 'r1', tag: 'acc', last: 0.5, min: 0.1, max: 0.9, points: 3 },
  { run: 'r10', tag: 'acc', last: 'NaN', min: 0.3, max: 0.8, points: 3 },
  { run: 'r2', tag: 'acc', last: 0.7, min: 0.2, max: 1, points: 3 },
  { run: 'none', tag: 'other', last: 9, min: 9, max: 9, points: 3 },
];
const order = (text: string) => sortRuns(runs, readRunSort(text), series).runs.map(({ run }) => run);

describe('the order of runs', () => {
  it('is by start, or by name', () => {
    expect([order(''), order('-'), order('name'), order('-name')]).toEqual([
      ['r1', 'r10', 'r2', 'none'],
      ['none', 'r2', 'r10', 'r1'],
      ['none', 'r1', 'r2', 'r10'],
      ['r10', 'r2', 'r1', 'none'],
    ]);
  });

  it('is by a metric, with runs without it last', () => {
    expect([order('last:acc'), order('-last:acc'), order('-max:acc')]).toEqual([
      ['r1', 'r2', 'r10', 'none'],
      ['r2', 'r1', 'r10', 'none'],
      ['r2', 'r1', 'r10', 'none'],
    ]);
  });

  it('has values that are not finite last in both directions', () => {
    const odd = [
      ['r1', 'Infinity'],
      ['r10', 3],
      ['r2', 'NaN'],
      ['none', '-Infinity'],
    ].map(([run, max]) => ({ run: String(run), tag: 'acc', last: max!, min: max!, max: max!, points: 1 }));
    for (const sort of ['max:acc', '-max:acc', 'min:acc', '-last:acc'])
      expect(sortRuns(runs, readRunSort(sort), odd).runs.map(({ run }) => run)).toEqual(['r10', 'r1', 'none', 'r2']);
  });

  it('is encoded in the address', () => {
    for (const text of ['', '-', 'name', '-min:a:b']) expect(writeRunSort(readRunSort(text))).toBe(text);
    expect(writeRunSort(readRunSort('what:x'))).toBe('');
  });
});
