import { expect, it } from 'vitest';
import { indexAfter } from './index-after.ts';

const after = (key: string, now: number, count = 5) => indexAfter(key, { now, count, next: 'ArrowRight', previous: 'ArrowLeft' });

it('reads the next and the previous one, and the ends', () => {
  expect(after('ArrowRight', 2)).toBe(3);
  expect(after('ArrowLeft', 2)).toBe(1);
  expect(after('Home', 2)).toBe(0);
  expect(after('End', 2)).toBe(4);
});

it('stays at the ends', () => {
  expect(after('ArrowRight', 4)).toBe(4);
  expect(after('ArrowLeft', 0)).toBe(0);
});

it('starts at the end that the key comes from', () => {
  expect(after('ArrowRight', -1)).toBe(0);
  expect(after('ArrowLeft', -1)).toBe(4);
});

it('has the keys of the plot, and leaves others to the page', () => {
  expect(indexAfter('ArrowDown', { now: 1, count: 3, next: 'ArrowDown', previous: 'ArrowUp' })).toBe(2);
  expect(after('ArrowDown', 1)).toBeNull();
  expect(after('Enter', 1)).toBeNull();
});
