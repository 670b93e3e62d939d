import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chosenFor, inChosenOrder, movedBeside, movedBy } from './card-order.ts';

it('gives any order with as few chosen tags as possible', () => {
  const plain = ['a', 'b', 'c', 'd', 'e'];
  fc.assert(
    fc.property(fc.shuffledSubarray(plain, { minLength: plain.length }), fc.shuffledSubarray([...plain, 'x', 'y']), (wanted, before) => {
      const chosen = chosenFor(wanted, plain, before);
      expect(inChosenOrder(plain, chosen)).toEqual(wanted);
      const own = chosen.filter((tag) => plain.includes(tag));
      for (let count = 0; count < own.length; count++) expect(inChosenOrder(plain, wanted.slice(0, count))).not.toEqual(wanted);
      expect(chosen.filter((tag) => !plain.includes(tag))).toEqual(before.filter((tag) => !plain.includes(tag)));
    }),
  );
  expect(chosenFor(plain, plain, ['b', 'x'])).toEqual(['x']);
  expect(chosenFor(['a', 'e', 'b', 'c', 'd'], plain, [])).toEqual(['a', 'e']);
});

it('moves an entry', () => {
  const keys = ['a', 'b', 'c', 'd'];
  expect(movedBeside(keys, 'd', 'b', false)).toEqual(['a', 'd', 'b', 'c']);
  expect(movedBeside(keys, 'a', 'c', true)).toEqual(['b', 'c', 'a', 'd']);
  expect(movedBeside(keys, 'a', 'a', true)).toEqual(keys);
  expect(movedBy(keys, 'c', -1)).toEqual(['a', 'c', 'b', 'd']);
  expect(movedBy(keys, 'c', -Infinity)).toEqual(['c', 'a', 'b', 'd']);
  expect(movedBy(keys, 'd', 1)).toEqual(keys);
});
