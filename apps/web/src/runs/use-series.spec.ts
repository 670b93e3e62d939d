import { expect, it } from 'vitest';
import { withoutWriters } from './use-series.ts';

it('several writers of a tag are one entry, as the service sorts runs: all their values, and the last point of all', () => {
  const of = (
    run: string,
    last: number | string,
    min: number | string | null,
    max: number | string | null,
    step: number | string,
    time = 0,
  ) => ({
    run,
    tag: 'loss',
    last,
    min,
    max,
    points: 2,
    last_step: step,
    last_wall_time: time,
  });
  const alone = of('b', 'NaN', null, null, 3);
  expect(withoutWriters([of('a', 1, 0, 5, 10), of('a', 2, -1, 3, 9), alone])).toEqual([{ ...of('a', 1, -1, 5, 10), points: 4 }, alone]);
  expect(withoutWriters([of('a', 1, 0, 5, 10, 1), of('a', 2, 1, 'Infinity', 10, 2)])).toMatchObject([{ last: 2, min: 0, max: Infinity }]);
  expect(withoutWriters([of('a', 1, 0, 5, '9007199254740992'), of('a', 2, 1, 2, '9007199254740993')])).toMatchObject([{ last: 2 }]);
  expect(withoutWriters([of('a', 'NaN', null, null, 1), of('a', 'NaN', null, null, 2)])).toMatchObject([{ min: null, max: null }]);
});
