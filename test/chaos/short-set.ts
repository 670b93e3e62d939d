import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type Scenario, scenarioLinks } from './scenario.ts';
import { Stack } from './stack.ts';

/** Of this run; `CHAOS_SEED` makes one again. */
export const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

/**
 * Tests of scenarios with their short counts, one after the other on one system. docs/reliability.md says how to run the full ones, and how to run one again by
 * its seed.
 */
export function shortSet(about: string, scenarios: readonly Scenario[]): void {
  describeWith(['postgres', 'redis', 's3'], `the whole system, broken on purpose: ${about} (seed ${seed})`, () => {
    let stack: Stack;

    beforeAll(async () => {
      stack = await Stack.start({ seed, patience: 5, links: scenarioLinks });
    });
    afterAll(() => stack.dispose());

    it.each(scenarios.map((scenario) => ({ ...scenario, name: `test ${scenario.test}: ${scenario.title}` })))(
      '$name',
      async ({ counts, run }) => {
        const { figures, violations, unmet } = await run({ stack, seed, count: counts.short });
        expect({ violations, unmet }, figures.join('\n')).toEqual({ violations: [], unmet: [] });
      },
    );
  });
}
