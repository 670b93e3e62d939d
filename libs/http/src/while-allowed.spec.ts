import { expect, it } from 'vitest';
import { whileAllowed } from './while-allowed.ts';

/** Endless pieces, half a second apart; records when the consumer stops. */
function world() {
  const state = { now: 0, asked: [] as number[], allowed: true, ended: false };
  async function* pieces(): AsyncGenerator<number> {
    try {
      for (; ; state.now += 500) yield state.now;
    } finally {
      state.ended = true;
    }
  }
  const still = async (): Promise<void> => {
    state.asked.push(state.now);
    if (!state.allowed) throw new Error('not anymore');
  };
  return { state, response: whileAllowed(pieces(), still, () => state.now) };
}

it('a long response checks every two seconds whether it is still allowed', async () => {
  const { state, response } = world();
  for await (const at of response) if (at === 7_000) break;
  expect(state.asked).toEqual([2_000, 4_000, 6_000]);
  expect(state.ended).toBe(true);
});

it('a long response and its source end within two seconds after the permission is gone', async () => {
  const { state, response } = world();
  const checks: number[] = [];
  const read = async (): Promise<void> => {
    for await (const at of response) {
      checks.push(at);
      if (at === 2_500) state.allowed = false;
    }
  };
  await expect(read()).rejects.toThrow('not anymore');
  expect([checks.at(-1), state.ended]).toEqual([3_500, true]);
});
