import { describe, expect, it } from 'vitest';
import { chartLine, readSeries } from '#charts';
import { rangeRows } from './range-rows.ts';

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
});
