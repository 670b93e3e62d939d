import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, seededRandom } from '#testing';
import { type Scenario, scenarioLinks } from './scenario.ts';
import { Stack } from './stack.ts';

/** The seed of this run; set `CHAOS_SEED` to repeat a run. */
export const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

/** Scenarios that run for every change: acknowledged data survives the death of any process. */
const always = new Set(['1, 2', '11, 22']);

/**
 * By default, a quarter of each list: the scenarios above, and more scenarios drawn by the seed.
 * `CHAOS_SCENARIOS=all` runs all.
 */
function drawn(scenarios: readonly Scenario[]): readonly Scenario[] {
  if (process.env.CHAOS_SCENARIOS === 'all') return scenarios;
  const random = seededRandom(seed);
  const places = scenarios.map((scenario) => ({ scenario, place: always.has(scenario.test) ? -1 : random() }));
  const chosen = new Set(
    places
      .toSorted((a, b) => a.place - b.place)
      .slice(0, Math.ceil(scenarios.length / 4))
      .map(({ scenario }) => scenario),
  );
  return scenarios.filter((scenario) => chosen.has(scenario));
}

/**
 * Runs scenarios with their short counts, one after another on one system. docs/reliability.md
 * explains how to run the full set, and how to repeat a run by its seed.
 */
export function shortSet(about: string, scenarios: readonly Scenario[]): void {
  describeWith(['postgres', 'redis', 's3'], `the whole system under faults: ${about} (seed ${seed})`, () => {
    let stack: Stack;

    beforeAll(async () => {
      stack = await Stack.start({ seed, timeFactor: 5, links: scenarioLinks });
    });
    afterAll(() => stack.dispose());

    it.each(drawn(scenarios).map((scenario) => ({ ...scenario, name: `test ${scenario.test}: ${scenario.title}` })))(
      '$name',
      async ({ counts, run }) => {
        const { figures, violations, unmet } = await run({ stack, seed, count: counts.short });
        expect({ violations, unmet }, figures.join('\n')).toEqual({ violations: [], unmet: [] });
      },
    );
  });
}
