import { expect, it } from 'vitest';
import { nameFilter } from './name-filter.ts';

it('is a regular expression, in any case', () => {
  const { matches, invalid } = nameFilter('^val/.*(loss|ACC)');
  expect(['val/loss', 'VAL/acc', 'train/val/loss'].map(matches)).toEqual([true, true, false]);
  expect(invalid).toBe(false);
  expect(nameFilter('').matches('anything')).toBe(true);
});

it('looks for the text itself while it is none', () => {
  const { matches, invalid } = nameFilter('lr=(0.');
  expect(invalid).toBe(true);
  expect(['run/lr=(0.1)', 'run/lr=0.1'].map(matches)).toEqual([true, false]);
});
