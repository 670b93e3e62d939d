import { expect, it } from 'vitest';
import { PointCache } from './point-cache.ts';

it('keeps the points that were used last, up to a number', () => {
  const cache = new PointCache(2);
  const point = (step: bigint) => ({ step, value: 1, wallTime: 2 });
  cache.put('a', point(1n));
  cache.put('b', point(2n));
  expect(cache.get('a')).toEqual(point(1n));
  cache.put('c', point(3n));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toEqual(point(1n));
  cache.put('a', point(4n));
  cache.put('d', point(5n));
  expect(cache.get('c')).toBeUndefined();
  expect([cache.get('a'), cache.get('d')]).toEqual([point(4n), point(5n)]);
});
