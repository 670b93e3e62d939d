import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll, isFolded, toggleGroup } from './folding.ts';

const nothing = { folded: [], unfolded: [] };

it('toggles one group, independently of the others', () => {
  const groups = ['', 'train', 'system'];
  fc.assert(
    fc.property(
      fc.subarray([...groups, '/all']),
      fc.subarray([...groups, '/all']),
      fc.constantFrom(...groups),
      (folded, unfolded, group) => {
        const before = { folded, unfolded };
        const after = toggleGroup(before, group, group === 'system');
        for (const one of groups)
          expect(isFolded(after, one, one === 'system')).toBe(isFolded(before, one, one === 'system') !== (one === group));
      },
    ),
  );
});

it('keeps defaults out of the address', () => {
  expect(toggleGroup(toggleGroup(nothing, 'system', true), 'system', true)).toEqual(nothing);
  expect(toggleGroup(nothing, 'system', true)).toEqual({ folded: [], unfolded: ['system'] });
  expect(toggleGroup(toggleGroup(nothing, 'train', false), 'train', false)).toEqual(nothing);
});

it('collapses all groups in a short address', () => {
  expect(isFolded(foldAll(true), 'train', false)).toBe(true);
  expect(isFolded(foldAll(false), 'system', true)).toBe(false);
  expect(toggleGroup(foldAll(true), 'train', false)).toEqual({ folded: ['/all'], unfolded: ['train'] });
});
