import { expect, it } from 'vitest';
import { ghostOf, noteOf } from './superseded.ts';

it('superseded points are drawn separately, with a gap where the log goes back', () => {
  const columns = {
    step: [1, 2, 3, 2, 3, 2, 3],
    wall_time: [10, 20, 30, 40, 50, 60, 70],
    value: [1, 2, 3, 4, 5, 6, 7],
    superseded: [false, true, true, true, true, false, false] as unknown as number[],
  };
  const { x, y } = ghostOf({ run: 'a', tag: 't', sampling: 'raw', source_points: 7, columns }, 'step');
  const parts = [...x].map((place, i) => (Number.isNaN(place) ? '|' : `${place}:${y[i]}`)).join(' ');
  expect(parts).toBe('| 2:2 3:3 | 2:4 3:5 | |');
  expect(
    [...ghostOf({ run: 'a', tag: 't', sampling: 'raw', source_points: 7, columns }, 'relative').x].filter((place) => !Number.isNaN(place)),
  ).toEqual([10, 20, 30, 40]);
});

it('a note says so if not all superseded points are drawn', () => {
  const response = (found: number, all: number) => ({ series: [], found, all, complete: found === all });
  expect(noteOf([response(3, 3), response(0, 0)], false)).toBe('');
  expect(noteOf([response(1000, 20_000), response(3, 3)], false)).toMatch(/^The first 1,003 of 20,003 /);
  expect(noteOf([response(1000, 20_000)], true)).toMatch(/first 1,000 .* of this range/);
});
