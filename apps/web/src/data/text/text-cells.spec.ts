import { expect, it } from 'vitest';
import { isOneText, rowsOf } from './text-cells.ts';

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

it('several texts are rows', () => {
  expect(rowsOf({ dtype: 'string', shape: [2], data: ['a', 'b'] })).toEqual({ rows: [['a'], ['b']], left: 0 });
});
