import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { runCampaign, scheduleHash } from './campaign.ts';
import { catalog } from './catalog.ts';
import { scenarioLinks } from './scenario.ts';
import { Stack } from './stack.ts';

/* The short set: every scenario a few times, and a short campaign. docs/reliability.md says how to run the full ones, and how to run one again by its seed. */

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

describeWith(['postgres', 'redis', 's3'], `the whole system, broken on purpose (seed ${seed})`, () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start({ seed, patience: 5, links: scenarioLinks });
  });
  afterAll(() => stack.dispose());

  it.each(catalog.map((scenario) => ({ ...scenario, name: `test ${scenario.test}: ${scenario.title}` })))(
    '$name',
    async ({ counts, run }) => {
      const { figures, violations, unmet } = await run({ stack, seed, count: counts.short });
      expect({ violations, unmet }, figures.join('\n')).toEqual({ violations: [], unmet: [] });
    },
  );
});

describeWith(['postgres', 'redis', 's3'], `a campaign of faults (seed ${seed})`, () => {
  it('has the same schedule for the same seed', () => {
    expect(scheduleHash(seed)).toBe(scheduleHash(seed));
    expect(scheduleHash(seed)).not.toBe(scheduleHash(seed + 1));
  });

  it('loses nothing that was acknowledged and doubles nothing', async () => {
    const { total, check, report } = await runCampaign({ seed, faults: 200, minutes: 2, patience: 5, say: () => undefined });
    expect(check.violations, report).toEqual([]);
    expect(total, report).toBeGreaterThanOrEqual(50);
  });
});
