import { expect, it } from 'vitest';
import { nameFilter } from './name-filter.ts';

it('is a regular expression that ignores case', () => {
  const { matches, invalid } = nameFilter('^val/.*(loss|ACC)');
  expect(['val/loss', 'VAL/acc', 'train/val/loss'].map(matches)).toEqual([true, true, false]);
  expect(invalid).toBe(false);
  expect(nameFilter('').matches('anything')).toBe(true);
});

it('searches for the text itself while the expression is invalid', () => {
  const { matches, invalid } = nameFilter('lr=(0.');
  expect(invalid).toBe(true);
  expect(['run/lr=(0.1)', 'run/lr=0.1'].map(matches)).toEqual([true, false]);
});

it.each([
  ['top\\-1', 'val/top-1', 'val/top1'],
  ['lr\\=0\\.1', 'lr=0.1', 'lr=0x1'],
  ['\\@home\\_1', '@home_1', 'home1'],
  ['a{,5}', 'a{,5}', 'aaa'],
  ['é+\\_x', 'ÉÉ_x', 'e_x'],
])('accepts escapes that only some expressions allow: %s', (text, name, other) => {
  const { matches, invalid } = nameFilter(text);
  expect([invalid, matches(name), matches(other)]).toEqual([false, true, false]);
});
