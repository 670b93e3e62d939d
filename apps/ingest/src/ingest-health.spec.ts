import { describe, expect, it } from 'vitest';
import type { Store } from '#store';
import { IngestActivity } from './ingest-activity.ts';
import { IngestHealth } from './ingest-health.ts';

interface Situation {
  readonly stalledMs?: number;
  readonly silentMs?: number;
  readonly longestMs?: number;
}

const maxStallMs = 30_000;

function healthOf(situation: Situation): IngestHealth {
  const { stalledMs = 0, silentMs = 0, longestMs = 0 } = situation;
  const store = {} as Store; // whyDead does not use it
  return new IngestHealth({
    store,
    pending: { latest: null, stalledMs, look: async () => undefined },
    activity: { silentMs, longestMs },
    maxStallMs,
  });
}

describe('IngestHealth', () => {
  it.each<[string, Situation, RegExp | null]>([
    ['there is nothing to do', { silentMs: 1e9 }, null],
    ['work is stalled, but this process tries', { stalledMs: 1e6, silentMs: 1_000 }, null],
    ['work is stalled and this process is silent', { stalledMs: 1e6, silentMs: 61_000 }, /claimed none for 61 s/],
    ['a job has been running for a long time', { longestMs: 1e6 }, /running for 1000 s/],
  ])('is dead or not when %s', async (_, situation, reason) => {
    const why = await healthOf(situation).whyDead();
    if (reason === null) expect(why).toBeNull();
    else expect(why).toMatch(reason);
  });
});

describe('IngestActivity', () => {
  it('is silent from the end of the last job', async () => {
    let now = 0;
    const activity = new IngestActivity(() => now);
    now = 5;
    expect(activity.silentMs).toBe(5);
    const { promise, resolve } = Promise.withResolvers<void>();
    const noted = activity.note(() => promise);
    now = 100;
    expect([activity.silentMs, activity.longestMs]).toEqual([0, 95]);
    resolve();
    await noted;
    now = 110;
    expect([activity.silentMs, activity.longestMs]).toEqual([10, 0]);
  });
});
