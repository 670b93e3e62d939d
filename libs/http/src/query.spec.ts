import { expect, it } from 'vitest';
import { Problem } from '#model';
import { parseQuery } from './query.ts';

it('parses parameters by their types', () => {
  expect({ ...parseQuery('a=1&b=%C3%A4+%2B&a=2&c&=d&%2e=%252e') }).toEqual({ a: ['1', '2'], b: 'ä +', c: '', '': 'd', '.': '%2e' });
  expect(parseQuery(Array.from({ length: 1_500 }, () => 'tag=a').join('&')).tag).toHaveLength(1_500);
});

it.each(['tag=%ff', 'tag=%', '%c3=a', 'a=1&tag=%ed%a0%80', 'tag=%zz'])('rejects %s', (text) => {
  expect(() => parseQuery(text)).toThrow(Problem);
});
