import { expect, it } from 'vitest';
import { requestedRange } from './requested-range.ts';

it.each([
  [undefined, 'all'],
  ['', 'all'],
  ['bytes=0-', { start: 0, end: 10 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=3-5', { start: 3, end: 6 }],
  ['bytes=3-99', { start: 3, end: 10 }],
  ['bytes=-4', { start: 6, end: 10 }],
  ['bytes=-99', { start: 0, end: 10 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-20', 'unsatisfiable'],
  ['bytes=5-3', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['bytes=a-b', 'all'],
  ['rows=0-1', 'all'],
])('reads %j', (field, range) => {
  expect(requestedRange(field, 10)).toEqual(range);
});

it('finds nothing in something empty', () => {
  expect(requestedRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(requestedRange('bytes=-1', 0)).toBe('unsatisfiable');
});
