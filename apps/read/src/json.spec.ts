import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asParsed, exactFloat } from './json.ts';

it('asParsed returns what JSON.parse returns from the response', () => {
  const leaf = fc.oneof(
    fc.double().map(exactFloat),
    fc.constant(exactFloat(-0)),
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree')),
      fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        tie('tree'),
      ),
    ),
  }));
  fc.assert(
    fc.property(tree, (response) => {
      expect(asParsed(response)).toEqual(JSON.parse(JSON.stringify(response)));
    }),
  );
});

it('asParsed copies nothing without such text', () => {
  const response = { series: [{ last: 1.5, tags: ['a'] }], at: null };
  expect(asParsed(response)).toBe(response);
  const { low, high } = asParsed({ low: exactFloat(-0), high: response });
  expect(low).toBe(-0);
  expect(high).toBe(response);
});
