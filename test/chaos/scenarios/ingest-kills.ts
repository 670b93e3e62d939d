import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { conclude, killStrikes, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import { quantile } from '../visibility.ts';
import { type RunShape, Workload } from '../workload.ts';

const shape = (random: () => number): RunShape => ({
  events: 400 + Math.floor(random() * 800),
  tags: 3,
  pace: { minBytes: 2_000, maxBytes: 20_000, pauseMs: 25 },
});
const wantedPoints = 150_000;
/** Limit of test 22 during the kills. */
const maxDelayMs = 10_000;

/**
 * Tests 11 and 22: `kill -9` of ingest processes at random points, from outside and by failpoints,
 * during an upload of 150,000 points.
 */
export const ingestKills: Scenario = {
  test: '11, 22',
  title: 'kill -9 of ingest processes during an upload',
  counts: { short: 6, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    await stack.arm('ingest', 'after-claim=kill:0.005,before-ingest-commit=kill:0.01,after-ingest-commit=kill:0.005');
    const processes = stack.of('ingest');
    const before = processes.map(({ deaths }) => deaths.length);
    const strikesBefore = killStrikes(processes);
    const deaths = () => processes.flatMap((process, i) => process.deaths.slice(before[i]));
    const workload = new Workload(stack, { seed, lanes: 4, shape }).start();
    for (let turn = 0; deaths().length < count; turn++) {
      // A process that has not started yet has nothing to lose.
      await Promise.all(processes.map((process) => process.ready()));
      await sleep(random() * 600);
      await processes[turn % processes.length]!.kill();
    }
    const kills = deaths();
    await stack.arm('ingest', null);
    while (workload.points < (count < 200 ? 0 : wantedPoints)) await sleep(100);
    const own = killStrikes(processes) - strikesBefore;
    const outcome = await conclude(workload, [
      `${kills.length} kills, ${own} of them by a failpoint; serves again after ${times(kills.map(({ recoveryMs }) => recoveryMs ?? NaN))}`,
    ]);
    const delays = workload.visibility.delays();
    const limitMs = maxDelayMs * stack.timeFactor;
    const late = quantile(delays, 0.99) <= limitMs ? [] : [`the 99th percentile from acknowledged to visible is not within ${limitMs} ms`];
    const figures = [...outcome.figures, `acknowledged to visible meanwhile: ${times(delays)}`];
    return { ...outcome, figures, unmet: [...outcome.unmet, ...late] };
  },
};
