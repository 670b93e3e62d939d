import { describe, expect, it } from 'vitest';
import { chartLine, formatShort, meanLine, plainView, readSeries } from '#charts';
import { dataDetails, dataNote, entriesWanted, runsWanted } from './wanted.ts';

const buckets = readSeries({
  run: 'a',
  tag: 't',
  sampling: 'minmax',
  source_points: 4000,
  columns: {
    step: [0, 1000, 2000, 3000],
    last_step: [999, 1999, 2999, 3999],
    count: [1000, 1000, 1000, 1000],
    first: [1, 1, 1, 1],
    last: [1, 1, 1, 1],
    min: [1, 1, 1, 1],
    max: [1, 1, 1, 1],
    wall_time: [100, 200, 300, 400],
  },
});
const raw = readSeries({
  run: 'b',
  tag: 't',
  sampling: 'raw',
  source_points: 2,
  columns: { step: [1, 2], wall_time: [1, 2], value: [1, 2] },
});

describe('a chart requests', () => {
  it('fewer entries of each line if there are many', () => {
    expect(entriesWanted('card', 5)).toBe(400);
    expect(entriesWanted('card', 1000)).toBe(60);
    expect(entriesWanted('large', 5)).toBeGreaterThan(1000);
  });

  it('all runs, unless few of many are shown', () => {
    expect(runsWanted(new Set(['b', 'a']), 20)).toBeNull();
    expect(runsWanted(new Set(['b', 'a']), 1000)).toEqual(['a', 'b']);
  });
});

it('says how much of the data a chart shows', () => {
  const line = (series: typeof raw) => chartLine(series, plainView);
  expect(dataNote([line(raw)], formatShort)).toBe('2 points');
  expect(dataNote([line(raw), line(buckets)], formatShort)).toBe('4 k points, downsampled');
  expect(dataNote([line({ ...raw, sourcePoints: 1, value: raw.value.subarray(0, 1) })], formatShort)).toBe('1 point');
  expect(dataNote([], formatShort)).toBe('');
  expect(dataDetails([line(raw), line(buckets)])).toMatch(/^Drawn from 6 of 4,002 points\./);
  expect(dataDetails([line(raw)])).toBeUndefined();
});

it('counts the points of a group once', () => {
  const one = chartLine(buckets, { xAxis: 'step', smoothing: 0 });
  expect(dataNote([meanLine('g', [one, one], 'std')], formatShort)).toBe('mean of 8 k points');
  expect(dataNote([meanLine('g', [one, one], 'std'), meanLine('h', [one, one, one], 'ci')], formatShort)).toBe('2 means of 20 k points');
});
