import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { becomeCaller, runForStranger } from './current-share.ts';
import { pauseIfLong } from './event-loop.ts';

/** Computes in small steps, like a large response. Calls `note` in each turn of the event loop. */
async function compute(steps: number, note: () => void): Promise<void> {
  for (let i = 0; i < steps; i++) {
    const pause = pauseIfLong();
    if (pause) await pause;
    note();
    for (const until = performance.now() + 1; performance.now() < until;);
  }
}

const asMember = <T>(account: string, work: () => T): T =>
  runForStranger('192.0.2.1', () => {
    becomeCaller(account, 'member');
    return work();
  });

it('large responses yield the event loop between their slices, however many are computed', async () => {
  let count = 0;
  let over = false;
  const inTurn = new Map<number, number>();
  const counting = (async () => {
    for (; !over; count++) await nextTurn();
  })();
  const note = (): void => void inTurn.set(count, (inTurn.get(count) ?? 0) + 1);
  await Promise.all(Array.from({ length: 8 }, (_, i) => asMember(`account ${i}`, () => compute(40, note))));
  over = true;
  await counting;
  expect([...inTurn.values()].reduce((sum, steps) => sum + steps, 0)).toBe(320);
  expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(20); // of 1 ms each; 8 in a slice, and another slice between two counts
});

it('shares that compute get equal parts of the event loop', async () => {
  const order: string[] = [];
  const loud = Array.from({ length: 6 }, () => asMember('loud', () => compute(40, () => void order.push('loud'))));
  const quiet = asMember('quiet', () => compute(40, () => void order.push('quiet')));
  await quiet;
  expect(order.filter((who) => who === 'loud').length).toBeLessThan(120); // of 240
  await Promise.all(loud);
});

it('a computation runs for 5 ms before it pauses', async () => {
  await nextTurn(); // nothing has computed in this one
  using clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  expect(pauseIfLong()).toBeUndefined();
  clock.mockReturnValue(1_004.9);
  expect(pauseIfLong()).toBeUndefined();
  clock.mockReturnValue(1_005);
  const pause = pauseIfLong();
  expect(pause).toBeInstanceOf(Promise);
  await pause;
});
