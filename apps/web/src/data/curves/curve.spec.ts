import { expect, it } from 'vitest';
import { nearestThreshold } from './curve.ts';

it('reads the threshold in the middle of those with the same recall', () => {
  const recall = [1, 1, 1, 0.5, 0.5, 0, 0, 0];
  expect([1, 0.9, 0.6, 0.25, 0, -1].map((at) => nearestThreshold({ recall }, at))).toEqual([1, 1, 3, 3, 6, 6]);
  expect(nearestThreshold({ recall: [] }, 0.5)).toBe(0);
});
