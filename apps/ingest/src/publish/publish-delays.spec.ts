import { expect, it } from 'vitest';
import { PublishDelays } from './publish-delays.ts';

function world() {
  const seen: number[] = [];
  const clock = { now: 0 };
  return {
    seen,
    clock,
    delays: new PublishDelays(
      (seconds) => seen.push(seconds),
      () => clock.now,
    ),
  };
}

it('an epoch that is published with the reading is measured at once', () => {
  const { seen, delays } = world();
  delays.note('a', { before: 1, epoch: 3, acknowledged: { epoch: 3, ageMs: 800 } });
  expect(seen).toEqual([0.8]);
});

it('an epoch that was acknowledged meanwhile is measured when a publication includes it', () => {
  const { seen, clock, delays } = world();
  delays.note('a', { before: 1, epoch: 3, acknowledged: { epoch: 5, ageMs: 100 } });
  expect(seen).toEqual([]);
  clock.now = 900;
  delays.note('a', { before: 3, epoch: 4, acknowledged: { epoch: 7, ageMs: 100 } });
  clock.now = 1_900;
  delays.note('a', { before: 4, epoch: 6, acknowledged: { epoch: 9, ageMs: 0 } });
  expect(seen).toEqual([2]);
});

it('what another process has published is not measured, and nothing is measured twice', () => {
  const { seen, clock, delays } = world();
  delays.note('a', { before: 1, epoch: 2, acknowledged: { epoch: 3, ageMs: 0 } });
  clock.now = 60_000;
  delays.note('a', { before: 4, epoch: 5, acknowledged: { epoch: 5, ageMs: 10 } });
  expect(seen).toEqual([0.01]);
  delays.note('b', { before: 1, epoch: 2, acknowledged: { epoch: 3, ageMs: 0 } });
  clock.now = 61_000;
  delays.note('b', { before: 2, epoch: 3, acknowledged: { epoch: 3, ageMs: 1_000 } });
  expect(seen).toEqual([0.01, 1]);
  delays.note('b', { before: 3, epoch: 3 });
  expect(seen).toHaveLength(2);
});
