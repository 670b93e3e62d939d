import fc from 'fast-check';
import { expect, it } from 'vitest';
import { homeColumns, homeFields, homeParameters, listParameters, parseHomeView, plainHome } from './home-view.ts';

const views = fc.record({
  text: fc.string(),
  label: fc.string(),
  archived: fc.boolean(),
  starred: fc.boolean(),
  order: fc.constantFrom(...homeFields),
  descending: fc.boolean(),
  columns: fc.option(fc.subarray([...homeColumns])),
});

it('is encoded in the address', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(parseHomeView(new URLSearchParams(homeParameters(view).toString()))).toEqual(view);
    }),
  );
  expect(homeParameters(plainHome).toString()).toBe('');
  expect(parseHomeView(new URLSearchParams('sort=what&page_token=x'))).toEqual(plainHome);
  expect(parseHomeView(new URLSearchParams('column=runs&column=what&column=owner&column=runs')).columns).toEqual(['owner', 'runs']);
});

it('searches for the typed text literally', () => {
  expect(listParameters({ ...plainHome, text: 'lr=0.1' })).toEqual({ filter: 'archived = false AND name : "lr=0.1"' });
  expect(
    listParameters({ text: 'a" OR name != "\\', label: 'x', archived: true, starred: false, order: 'name', descending: false }),
  ).toEqual({
    filter: 'name : "a\\" OR name != \\"\\\\" AND label = "x"',
    order_by: 'name',
  });
  expect(listParameters({ ...plainHome, starred: true }, ['a', 'b'])).toEqual({ filter: 'archived = false AND (id = "a" OR id = "b")' });
  expect(listParameters({ ...plainHome, starred: true })).toEqual({ filter: 'archived = false AND (id = "")' });
});
