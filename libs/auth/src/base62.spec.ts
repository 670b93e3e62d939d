import { expect, it } from 'vitest';
import { randomBase62, uint32ToBase62 } from './base62.ts';

it('uses all 62 characters about equally often', () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Binomial distribution: each count is 1,000 on average, with a standard deviation of 31. A
  // deviation of eight times that practically never occurs.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});

it('writes every uint32 in six digits, in order', () => {
  expect(uint32ToBase62(0)).toBe('000000');
  expect(uint32ToBase62(61)).toBe('00000z');
  expect(uint32ToBase62(62)).toBe('000010');
  expect(uint32ToBase62(2 ** 32 - 1)).toBe('4gfFC3');
});
