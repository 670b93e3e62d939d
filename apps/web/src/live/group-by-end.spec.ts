import { expect, it } from 'vitest';
import { readSeries } from '#charts';
import { groupByEnd } from './group-by-end.ts';

const upTo = (run: string, step: number | string) =>
  readSeries({ run, tag: 't', sampling: 'raw', source_points: 1, columns: { step: [step], wall_time: [1], value: [1] } });

it('groups series that end at about the same step', () => {
  expect(groupByEnd([upTo('c', 5000), upTo('b', 110), upTo('a', 100), upTo('d', 5200)], 200)).toEqual([
    { runs: ['a', 'b'], from: 100 },
    { runs: ['c', 'd'], from: 5000 },
  ]);
  expect(groupByEnd([], 200)).toEqual([]);
});

it('returns null if a step is not an exact number, or there is none', () => {
  expect(groupByEnd([upTo('a', '9223372036854775807')], 1)).toBeNull();
  const empty = readSeries({ run: 'a', tag: 't', sampling: 'raw', source_points: 0, columns: {} });
  expect(groupByEnd([empty], 1)).toBeNull();
});
