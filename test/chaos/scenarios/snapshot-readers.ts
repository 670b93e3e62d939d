import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { conclude, killStrikes, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import { Workload } from '../workload.ts';
import { liveShape, TailReader } from './tail-readers.ts';

const readers = 4;

/**
 * Tests 19 and 21: eight clients write while upload and ingest processes are killed at random, also
 * during publication. Readers get the frontier and points in one response, find everything that the
 * frontier covers, and never see the frontier decrease.
 */
export const snapshotReaders: Scenario = {
  test: '19, 21',
  title: 'readers of frontier and data in one snapshot while writers are killed',
  counts: { short: 8, full: 300 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    await stack.arm(
      'ingest',
      'before-ingest-commit=kill:0.01,after-ingest-commit=kill:0.01,before-publish-commit=kill:0.1,after-publish-commit=kill:0.1',
    );
    const processes = [...stack.of('ingest'), ...stack.of('upload')];
    const before = processes.map(({ deaths }) => deaths.length);
    const strikesBefore = killStrikes(processes);
    const deaths = () => processes.reduce((sum, process, i) => sum + process.deaths.length - before[i]!, 0);
    const workload = new Workload(stack, { seed, lanes: 8, shape: liveShape, runsPerExperiment: 8 }).start();
    let done = false;
    const tails = Array.from({ length: readers }, () => new TailReader(stack, workload.log));
    const reading = Promise.all(
      tails.map(async (tail) => {
        while (!done) await tail.lookAtOnce(workload.files);
      }),
    );
    for (let turn = 0; deaths() < count; turn++) {
      // Otherwise, no process would remain to write.
      await Promise.all(processes.map((process) => process.ready()));
      await sleep(200 + random() * 1_500);
      await processes[turn % processes.length]!.kill();
    }
    const killed = deaths();
    const own = killStrikes(processes) - strikesBefore;
    await stack.arm('ingest', null);
    done = true;
    await reading;
    const looks = tails.reduce((sum, tail) => sum + tail.looks, 0);
    const compared = tails.reduce((sum, tail) => sum + tail.compared, 0);
    const outcome = await conclude(
      workload,
      [`${killed} kills, ${own} of them by a failpoint; ${looks} reads, ${compared} files compared with their frontier`],
      looks === 0 ? ['no reader ran'] : [],
    );
    return { ...outcome, violations: [...outcome.violations, ...tails.flatMap(({ violations }) => violations)] };
  },
};
