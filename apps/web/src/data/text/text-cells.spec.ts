import { expect, it } from 'vitest';
import { isOneText, plainTextOf, rowsOf } from './text-cells.ts';

it.each<[string, number[], string[], boolean]>([
  ['rank 0', [], ['a'], true],
  ['shape [1], as SummaryWriter.add_text writes it', [1], ['a'], true],
  ['shape [1, 1]', [1, 1], ['a'], true],
  ['two texts', [2], ['a', 'b'], false],
  ['a row of two', [1, 2], ['a', 'b'], false],
  ['no text', [0], [], false],
])('one text is not a table: %s', (_, shape, data, one) => {
  expect(isOneText({ shape, data })).toBe(one);
});

it('counts the texts that a plain text leaves out', () => {
  const data = Array.from({ length: 1_500 }, (_, i) => `${i}`);
  const { text, ...counts } = plainTextOf({ dtype: 'string', shape: [1_500], data });
  expect(text.split('\n')).toEqual(data.slice(0, 1_000));
  expect(counts).toEqual({ count: 1_000, left: 500 });
  expect(plainTextOf({ dtype: 'string', shape: [1], data: ['a'] })).toEqual({ text: 'a', count: 1, left: 0 });
});

it('several texts are rows', () => {
  expect(rowsOf({ dtype: 'string', shape: [2], data: ['a', 'b'] })).toEqual({ rows: [['a'], ['b']], left: 0 });
});
