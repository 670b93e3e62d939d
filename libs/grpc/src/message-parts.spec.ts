import { expect, it } from 'vitest';
import { messageParts } from './message-parts.ts';

async function* piecesOf(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [i, size] of sizes.entries()) yield new Uint8Array(size).fill(i);
}

async function sizesOf(sizes: readonly number[]): Promise<number[]> {
  const parts: Buffer[] = [];
  for await (const part of messageParts(piecesOf(...sizes), 4)) parts.push(part);
  expect(Buffer.concat(parts)).toEqual(Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i))));
  return parts.map(({ length }) => length);
}

it.each([
  [[], []],
  [[0], []],
  [[3], [3]],
  [[4], [4]],
  [
    [1, 1, 1, 1, 1],
    [4, 1],
  ],
  [[9], [4, 4, 1]],
  [
    [3, 0, 6, 3],
    [4, 4, 4],
  ],
])('cuts and joins pieces of %j bytes to %j', async (sizes, expected) => {
  expect(await sizesOf(sizes)).toEqual(expected);
});
