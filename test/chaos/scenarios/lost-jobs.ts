import { Redis } from 'ioredis';
import { administer } from '../faults.ts';
import { conclude, ms, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { type RunShape, within, Workload } from '../workload.ts';

const shape = (): RunShape => ({ events: 200, tags: 2, pace: { minBytes: 500, maxBytes: 4_000, pauseMs: 20 } });
const sweepMs = 2_000;
const pendingRuns = 'select count(distinct run_id) as n from pending_segment where experiment_id = any($1)';
/** How the queue names its keys. */
const jobs = '{plotline}:ingest-run';

/** Test 17: workers die with every job that they take, far more often than the queue would try a job again. */
export const exhaustedJobs: Scenario = {
  test: '17',
  title: 'the tries of all jobs are used up',
  counts: { short: 3, full: 60 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    await stack.arm('ingest', 'after-claim=kill');
    const deaths = () => stack.of('ingest').reduce((sum, process) => sum + process.deaths.length, 0);
    const before = deaths();
    const workload = new Workload(stack, { seed, lanes: 3, shape }).start();
    await within(600_000, () => deaths() - before >= count);
    await stack.arm('ingest', null);
    const outcome = await conclude(workload, [`${deaths() - before} workers died with the job that they had taken`]);
    // Scenarios that leave a safeguard out may have left rows of their own behind
    const [row] = await administer<{ pending: string }>(
      stack,
      'select count(*) as pending from pending_segment where experiment_id = any($1)',
      [await workload.experimentIds()],
    );
    const states = await queueStates(stack);
    return {
      ...outcome,
      figures: [...outcome.figures, `${row!.pending} segments are pending at the end, ${states.failed} failed jobs are kept`],
      unmet: [...outcome.unmet, ...(row!.pending === '0' ? [] : [`${row!.pending} segments stay pending`])],
    };
  },
};

/** Test 18: the queue holds jobs that nobody will ever do, under the ids of runs that have something to do. */
export const orphanedJobs: Scenario = {
  test: '18',
  title: 'orphaned job ids and deduplication keys are in the way',
  counts: { short: 6, full: 100 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const workload = new Workload(stack, { seed, lanes: 2, shape });
    const redis = new Redis(stack.redis.url, { maxRetriesPerRequest: null });
    const unmet: string[] = [];
    let planted = 0;
    let slowest = 0;
    try {
      // Nobody works: what is uploaded stays pending, and its hints are thrown away
      await Promise.all(stack.of('ingest').map((process) => process.stop()));
      workload.start();
      await within(60_000, () => workload.files.length >= count * 2);
      await workload.finish();
      await redis.flushall();
      const runs = await administer<{ tenant_id: string; experiment_id: string; run_id: string }>(
        stack,
        'select distinct tenant_id, experiment_id, run_id from pending_segment where experiment_id = any($1)',
        [await workload.experimentIds()],
      );
      for (const { tenant_id: tenantId, experiment_id: experimentId, run_id: runId } of runs) {
        const id = `${tenantId}/${runId}`;
        const data = JSON.stringify({ tenantId, experimentId, runId });
        // A job that stands in no list; every third is said to be active, and has no lock; and BullMQ's own key of deduplication
        await redis.hset(`${jobs}:${id}`, { name: 'ingest-run', data, timestamp: Date.now(), opts: '{}', atm: 0 });
        if (planted % 3 === 0) await redis.lpush(`${jobs}:active`, id);
        await redis.set(`${jobs}:de:${id}`, id);
        planted++;
      }
      await Promise.all(stack.of('ingest').map((process) => process.start()));
      const began = performance.now();
      const left = async () => Number((await administer<{ n: string }>(stack, pendingRuns, [await workload.experimentIds()]))[0]!.n);
      // A worker has taken one of them, or even done it, within two sweeps from the moment that one serves
      const moves = async () => (await redis.keys(`${jobs}:*:lock`)).length > 0 || (await left()) < runs.length;
      if (!(await within((2 * sweepMs + 1_000) * stack.patience, moves))) unmet.push('nothing moved within two intervals of the sweeper');
      await within(60_000, async () => (await left()) === 0);
      slowest = performance.now() - began;
    } finally {
      redis.disconnect();
    }
    return conclude(workload, [`${planted} orphans planted; all runs were done after ${ms(slowest)}`], unmet);
  },
};

async function queueStates(stack: Stack): Promise<{ failed: number }> {
  const redis = new Redis(stack.redis.url);
  try {
    return { failed: await redis.zcard(`${jobs}:failed`) };
  } finally {
    redis.disconnect();
  }
}
