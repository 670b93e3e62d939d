import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { conclude, killStrikes, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import { type RunShape, Workload } from '../workload.ts';

/** Enough to stream for as long as the kills take, in ranges of a few records. */
const shape = (): RunShape => ({ events: 1_500, tags: 3, pace: { minBytes: 500, maxBytes: 6_000, pauseMs: 15 }, media: 15 });
const wantedPoints = 100_000;

/** Tests 1 and 2: `kill -9` of upload processes at random moments while three clients stream 100,000 points. */
export const uploadKills: Scenario = {
  test: '1, 2',
  title: 'kill -9 of upload processes while clients stream',
  counts: { short: 6, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    // By the harness at any moment, and by failpoints at those that matter most
    await stack.arm('upload', 'after-object-put=kill:0.01,before-ledger-commit=kill:0.005,after-ledger-commit=kill:0.005');
    const processes = stack.of('upload');
    const before = processes.map(({ deaths }) => deaths.length);
    const strikesBefore = killStrikes(processes);
    const deaths = () => processes.flatMap((process, i) => process.deaths.slice(before[i]));
    const workload = new Workload(stack, { seed, lanes: 3, shape, timeoutMs: 8_000 }).start();
    for (let turn = 0; deaths().length < count; turn++) {
      const process = processes[turn % processes.length]!;
      // The other one takes the requests meanwhile, and dies as soon as this one is back
      await process.ready();
      await sleep(random() * 300);
      await process.kill();
    }
    const kills = deaths();
    await stack.arm('upload', null);
    const points = count < 200 ? 0 : wantedPoints;
    while (workload.points < points) await sleep(100);
    const own = killStrikes(processes) - strikesBefore;

    const lost = await workload.clients[0]!.send('HEAD', '/files/999999999999');
    const outcome = await conclude(workload, [
      `${kills.length} kills, ${own} of them by a failpoint; serves again after ${times(kills.map(({ recoveryMs }) => recoveryMs ?? NaN))}`,
    ]);
    const decreases = workload.log.decreases.length;
    return {
      ...outcome,
      figures: [
        ...outcome.figures,
        `${workload.points} points streamed; ${workload.log.count('unknown')} appends had no answer; ${decreases} offsets decreased`,
      ],
      unmet: lost.status === 404 || lost.status === 410 ? [] : [`a file that is not there answers ${lost.status}, not 404 or 410`],
    };
  },
};
