import { expect, it } from 'vitest';
import { BytesAtOnce } from './bytes-at-once.ts';

it('request bodies are bounded in total, and a workspace gets at most a quarter', () => {
  const bytes = new BytesAtOnce(100);
  expect(bytes.take('a', 25)).toBe(true);
  expect(bytes.take('a', 1)).toBe(false);
  bytes.giveBack('a', 1);
  for (const tenant of ['b', 'c', 'd']) expect(bytes.take(tenant, 25)).toBe(true);
  expect(bytes.take('e', 1)).toBe(false);
  bytes.giveBack('e', 1);
  bytes.giveBack('a', 25);
  expect(bytes.take('e', 25)).toBe(true);
});
