import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memberShare, type Share, strangerShare } from './share.ts';
import { startInTurn } from './start-in-turn.ts';

const order: string[] = [];
const start = (name: string, share: Share) => startInTurn(share, () => void order.push(name));

it('a flood of requests starts over several turns, and requests of others start before it', async () => {
  order.length = 0;
  for (let i = 0; i < 100; i++) start('loud', memberShare('loud'));
  expect(order.length).toBeLessThan(4);
  start('quiet', memberShare('quiet'));
  expect(order.at(-1)).toBe('quiet');
  for (let i = 0; i < 100; i++) start('stranger', strangerShare('192.0.2.1'));
  await nextTurn();
  for (let i = 0; i < 3; i++) start('quiet', memberShare('quiet'));
  await nextTurn();
  await nextTurn();
  expect(order.filter((name) => name === 'quiet')).toHaveLength(4);
  expect(order.length).toBeLessThan(50);
  while (order.length < 204) await nextTurn();
});

it('a request starts at once when few do, and a canceled request never starts', async () => {
  await nextTurn();
  order.length = 0;
  start('alone', memberShare('alone'));
  expect(order).toEqual(['alone']);
  const waiting = Array.from({ length: 50 }, () => start('canceled', strangerShare('192.0.2.2')));
  for (const one of waiting) one.cancel();
  const started = order.length;
  for (let i = 0; i < 10; i++) await nextTurn();
  expect(order.length).toBe(started);
});
