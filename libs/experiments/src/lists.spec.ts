import { expect, it } from 'vitest';
import { isRunId } from '#model';
import { tenantIdOf } from '#model/testing';
import { runFields } from '#store';
import { parseFields, parseOrderBy } from './order-by.ts';
import { cutPage, idAfter, readPage } from './page-token.ts';

const fields = runFields(tenantIdOf('00000000-0000-0000-0000-000000000000'), [], null);
const byName = { field: 'name', argument: null, descending: false };

it('parses an order and adds the columns that make it total', () => {
  expect(parseOrderBy('last("a,b") desc, start_time', fields, byName)).toEqual([
    { field: 'last', argument: 'a,b', descending: true },
    { field: 'start_time', argument: null, descending: false },
    byName,
  ]);
  expect(parseOrderBy('value_at("a(,", 100) desc, step_at_max(x,"y)")', fields, byName)).toEqual([
    { field: 'value_at', argument: 'a(,', second: '100', descending: true },
    { field: 'step_at_max', argument: 'x', second: 'y)', descending: false },
    byName,
  ]);
  expect(parseFields(['value_at(x, 7)'], fields)).toEqual([{ field: 'value_at', argument: 'x', second: '7' }]);
  expect(parseOrderBy('name desc', fields, byName)).toEqual([{ ...byName, descending: true }]);
});

it.each([
  '',
  'nope',
  'last',
  'last("x" desc',
  'name sideways',
  'value_at(x)',
  'value_at(x, 1',
  'value_at(x, y)',
  'value_at_min(x, 1)',
  'value_at(x, 1, 2)',
  'name asc desc',
  'name,',
  'name; drop table run',
  'status,status,status,status,status',
])('rejects the order %j', (text) => {
  expect(() => parseOrderBy(text, fields, byName)).toThrow(/order_by|sorted/);
});

it('continues where a page ended, only in the same list', () => {
  const list = ['/runs', 'x', 'a filter'];
  const first = readPage(2, undefined, list);
  const page = cutPage(['11', '12', '13'], first, (id) => id);
  expect(page.items).toEqual(['11', '12']);
  expect(page.nextPageToken).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(readPage(2, page.nextPageToken!, list).after).toBe('12');
  expect(() => readPage(2, page.nextPageToken!, ['/runs', 'x', 'another'])).toThrow(/page_token/);
  expect(cutPage(['11', '12'], first, (id) => id).nextPageToken).toBeNull();
});

it('lowers a page size that is too large', () => {
  expect(readPage(5000, undefined, []).size).toBe(1000);
  expect(readPage(undefined, undefined, []).size).toBe(50);
});

it.each(['', 'x', '../../etc', 'A'.repeat(300), 'Ü'])('rejects the page token %j', (token) => {
  expect(() => readPage(1, token, [])).toThrow(/page_token/);
});

it('accepts only ids of its own form from a token', () => {
  const request = readPage(1, undefined, []);
  const forged = cutPage(['a', 'b'], request, () => '9223372036854775808').nextPageToken!;
  expect(() => idAfter(readPage(1, forged, []), isRunId)).toThrow(/page_token/);
});
