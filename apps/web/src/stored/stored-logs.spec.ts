import { describe, expect, it } from 'vitest';
import { readStoredLines, searchStoredLines } from './stored-logs.ts';

const blocks = [
  [1, 'a'],
  [4, 'b'],
  [7, 'c'],
] as const;
const loaded: string[] = [];
const load = async (part: string) => {
  loaded.push(part);
  const first = blocks.find(([, name]) => name === part)![0];
  return [0, 1, 2].map((i) => ({ line: first + i, text: `Line ${first + i}${(first + i) % 4 === 0 ? ' FOURTH' : ''}` }));
};
const numbers = ({ content, next }: { content: readonly { line: number }[]; next: number | null }) => [
  content.map(({ line }) => line),
  next,
];

describe('the logs of a bundle', () => {
  it('are read from any line, across parts, and only from the parts that have the lines', async () => {
    loaded.length = 0;
    expect(numbers(await readStoredLines(blocks, load, 5, 3))).toEqual([[5, 6, 7], 8]);
    expect(loaded).toEqual(['b', 'c']);
    expect(numbers(await readStoredLines(blocks, load, 1, 3))).toEqual([[1, 2, 3], 4]);
    expect(numbers(await readStoredLines(blocks, load, 8, 100))).toEqual([[8, 9], null]);
    expect(numbers(await readStoredLines(blocks, load, 10, 100))).toEqual([[], null]);
    expect(numbers(await readStoredLines([], load, 1, 100))).toEqual([[], null]);
  });

  it('are searched from a line on, in any case', async () => {
    expect(numbers(await searchStoredLines(blocks, load, 1, 'fourth', undefined))).toEqual([[4, 8], null]);
    loaded.length = 0;
    expect(numbers(await searchStoredLines(blocks, load, 7, 'Fourth', undefined))).toEqual([[8], null]);
    expect(loaded).toEqual(['c']);
    expect(numbers(await searchStoredLines(blocks, load, 1, 'fifth', undefined))).toEqual([[], null]);
  });

  it('continue after a hundred matches', async () => {
    const many = async () => Array.from({ length: 250 }, (_, i) => ({ line: i + 1, text: 'x' }));
    const first = await searchStoredLines([[1, 'a']], many, 1, 'x', undefined);
    expect([first.content.length, first.next]).toEqual([100, 101]);
    const last = await searchStoredLines([[1, 'a']], many, 201, 'x', undefined);
    expect([last.content.length, last.next]).toEqual([50, null]);
  });

  it('stop when nobody waits for the result', async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(searchStoredLines(blocks, load, 1, 'x', abort.signal)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});
