import { expect, it } from 'vitest';
import type { RunId } from '#model';
import { runIdOf } from '#model/testing';
import { type RunPoints, RunPointsCache } from './run-points-cache.ts';

const pointsOf = (runs: number): RunPoints =>
  new Map(
    Array.from({ length: runs }, (_, i): [RunId, { step: bigint; value: number; wallTime: number }] => [
      runIdOf(String(i)),
      { step: 1n, value: i, wallTime: 2 },
    ]),
  );

it('keeps the points that were used last, up to a number', () => {
  const cache = new RunPointsCache(100);
  const [a, b, c] = [pointsOf(30), pointsOf(30), pointsOf(30)];
  cache.put('a', a);
  cache.put('b', b);
  expect(cache.get('a')).toBe(a);
  cache.put('c', c);
  expect(cache.get('b')).toBeUndefined();
  expect([cache.get('a'), cache.get('c')]).toEqual([a, c]);
});

it('does not evict all others for points that it cannot hold', () => {
  const cache = new RunPointsCache(100);
  const small = pointsOf(1);
  cache.put('small', small);
  cache.put('large', pointsOf(100));
  expect(cache.get('large')).toBeUndefined();
  expect(cache.get('small')).toBe(small);
});

it('bounds the number of entries without points', () => {
  const cache = new RunPointsCache(100);
  for (let i = 0; i < 11; i++) cache.put(String(i), pointsOf(0));
  expect(cache.get('0')).toBeUndefined();
  expect(cache.get('10')).toBeDefined();
});
