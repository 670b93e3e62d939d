import { expect, it } from 'vitest';
import { describeWith, seededRandom } from '#testing';
import { degraded } from './degraded/index.ts';
import { SmallDisk } from './degraded/small-disk.ts';
import { seed } from './short-set.ts';

/*
 * A scenario starts its own system and takes half a minute, so each test run picks a scenario by
 * the seed. `CHAOS_DEGRADED=all` runs all scenarios; a number runs that scenario.
 * docs/reliability.md explains full runs.
 */

const wanted = process.env.CHAOS_DEGRADED ?? '1';
const onlyOne = degraded.filter(({ test }) => String(test) === wanted);
const mayMount = await SmallDisk.isPossible();
const random = seededRandom(seed);
const drawn = degraded
  .map((scenario) => ({ scenario, place: random() }))
  .sort((a, b) => a.place - b.place)
  .slice(0, Number(wanted))
  .map(({ scenario }) => scenario);
const chosen = wanted === 'all' ? degraded : onlyOne.length > 0 ? onlyOne : drawn;

describeWith(['postgres', 'redis', 's3'], `a system with a part that is down, slow, full or wrong (seed ${seed})`, () => {
  for (const scenario of chosen) {
    const impossible = scenario.test === 64 && !mayMount;
    it.skipIf(impossible)(
      `test ${scenario.test}: ${scenario.name}${impossible ? ' [needs permission to mount a disk]' : ''}`,
      async () => {
        const { figures, faults } = await scenario.run({ seed, full: false, timeFactor: 5, say: () => undefined });
        expect(faults, figures.join('\n')).toEqual([]);
      },
      900_000,
    );
  }
});
