import { Redis } from 'ioredis';
import { administer } from '../faults.ts';
import { conclude, ms, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { type RunShape, within, Workload } from '../workload.ts';

const shape = (): RunShape => ({ events: 200, tags: 2, pace: { minBytes: 500, maxBytes: 4_000, pauseMs: 20 } });
/** Few runs, so that their jobs are claimed repeatedly without progress. */
const slowShape = (): RunShape => ({ ...shape(), pace: { ...shape().pace, pauseMs: 250 } });
const sweepMs = 2_000;
const pendingRuns = 'select count(distinct run_id) as n from pending_segment where experiment_id = any($1)';
/** Prefix of the queue's job keys. */
const jobs = '{plotline}:ingest-run';

/** BullMQ's error for a job if its workers died more often than BullMQ allows. */
const stalledTooOften = 'job stalled more than allowable limit';
/** The queue's own attempts per job; it counts only reported failures. */
const attempts = 1;
const timeLimitMs = 600_000;

/**
 * Test 17: workers die with every job, until the queue gives up on jobs. Then every job fails, far
 * more often than the queue would retry it. Regardless of jobs, each range must be ingested in the
 * end.
 */
export const exhaustedJobs: Scenario = {
  test: '17',
  title: 'all jobs use up their attempts',
  counts: { short: 3, full: 60 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const died = await exhaust(stack, seed, 'after-claim=kill', async (watch) => {
      const deaths = () => stack.of('ingest').reduce((sum, process) => sum + process.deaths.length, 0);
      const before = deaths();
      const enough = () => deaths() - before >= count && watch.failed.has(stalledTooOften);
      const reached = await within(timeLimitMs, enough);
      const given = watch.failed.get(stalledTooOften) ?? 0;
      return {
        figure: `${deaths() - before} workers died with a claimed job; the queue gave ${given} jobs up (${stalledTooOften})`,
        unmet: reached
          ? []
          : [`of ${count} workers ${deaths() - before} died, and the queue gave ${given} jobs up, within ${timeLimitMs / 1_000} s`],
      };
    });
    const failed = await exhaust(stack, seed + 1, 'after-claim=throw', async () => {
      const failures = failuresByRun(stack);
      const sum = () => [...failures().values()].reduce((all, n) => all + n, 0);
      const max = () => Math.max(0, ...failures().values());
      const reached = await within(timeLimitMs, () => sum() >= count && max() > attempts);
      return {
        figure: `${sum()} jobs failed, up to ${max()} of one run; the queue makes ${attempts} attempt`,
        unmet: reached ? [] : [`of ${count} jobs ${sum()} failed, up to ${max()} of one run, within ${timeLimitMs / 1_000} s`],
      };
    });
    return {
      figures: [...died.figures, ...failed.figures],
      violations: [...died.violations, ...failed.violations],
      unmet: [...died.unmet, ...failed.unmet],
    };
  },
};

/**
 * Uploads with these failpoints in ingest until `body` returns, then without them. At the end,
 * nothing may be pending.
 */
async function exhaust(
  stack: Stack,
  seed: number,
  failpoints: string,
  body: (watch: QueueWatch) => Promise<{ readonly figure: string; readonly unmet: readonly string[] }>,
): Promise<Outcome> {
  const watch = new QueueWatch(stack);
  try {
    await stack.arm('ingest', failpoints);
    const workload = new Workload(stack, { seed, lanes: 3, shape: slowShape }).start();
    const { figure, unmet } = await body(watch);
    await stack.arm('ingest', null);
    const outcome = await conclude(workload, [figure], unmet);
    // Scenarios without a safeguard may have left their own rows behind.
    const [row] = await administer<{ pending: string }>(
      stack,
      'select count(*) as pending from pending_segment where experiment_id = any($1)',
      [await workload.experimentIds()],
    );
    return {
      ...outcome,
      figures: [...outcome.figures, `${row!.pending} segments are pending at the end`],
      unmet: [...outcome.unmet, ...(row!.pending === '0' ? [] : [`${row!.pending} segments stay pending`])],
    };
  } finally {
    await watch.close();
  }
}

/** Counts the failed ingest attempts per run from now on, from the logs of the ingest processes. */
function failuresByRun(stack: Stack): () => Map<string, number> {
  const logged = () =>
    stack.of('ingest').flatMap(({ output }) => [...output.matchAll(/run (\d+) could not be ingested/g)].map(([, run]) => run!));
  const count = (): Map<string, number> => new Map([...Map.groupBy(logged(), (run) => run)].map(([run, { length }]) => [run, length]));
  const before = count();
  return () => new Map([...count()].map(([run, n]) => [run, n - (before.get(run) ?? 0)]));
}

/** Listens to the queue's events about jobs, which are removed soon afterward. */
class QueueWatch {
  /** Jobs that the queue gave up on, by reason. */
  readonly failed = new Map<string, number>();
  readonly #redis: Redis;
  readonly #loop: Promise<void>;

  constructor(stack: Stack) {
    this.#redis = new Redis(stack.redis.url, { maxRetriesPerRequest: null });
    this.#loop = this.#listen();
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
    await this.#loop;
  }

  async #listen(): Promise<void> {
    for (let last = '$'; ;) {
      const received = await this.#redis.xread('BLOCK', 1_000, 'STREAMS', `${jobs}:events`, last).catch(() => 'closed' as const);
      if (received === 'closed') return;
      for (const [id, fields] of received?.[0]?.[1] ?? []) {
        last = id;
        if (fields[fields.indexOf('event') + 1] !== 'failed') continue;
        const reason = fields[fields.indexOf('failedReason') + 1]!;
        this.failed.set(reason, (this.failed.get(reason) ?? 0) + 1);
      }
    }
  }
}

/**
 * Test 18: the queue contains jobs that no worker ever processes, with the IDs of runs that have
 * pending segments.
 */
export const orphanedJobs: Scenario = {
  test: '18',
  title: 'orphaned job ids and deduplication keys block runs',
  counts: { short: 6, full: 100 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const workload = new Workload(stack, { seed, lanes: 2, shape });
    const redis = new Redis(stack.redis.url, { maxRetriesPerRequest: null });
    const unmet: string[] = [];
    let planted = 0;
    let slowest = 0;
    try {
      // Ingest is stopped: uploads stay pending, and their hints are discarded.
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
        // A job that is in no list, with BullMQ's deduplication key. Every third job is marked
        // active without a lock.
        await redis.hset(`${jobs}:${id}`, { name: 'ingest-run', data, timestamp: Date.now(), opts: '{}', atm: 0 });
        if (planted % 3 === 0) await redis.lpush(`${jobs}:active`, id);
        await redis.set(`${jobs}:de:${id}`, id);
        planted++;
      }
      await Promise.all(stack.of('ingest').map((process) => process.start()));
      const began = performance.now();
      const left = async () => Number((await administer<{ n: string }>(stack, pendingRuns, [await workload.experimentIds()]))[0]!.n);
      // A worker claims or finishes one of the runs within two sweeps after ingest serves again.
      const moves = async () => (await redis.keys(`${jobs}:*:lock`)).length > 0 || (await left()) < runs.length;
      if (!(await within((2 * sweepMs + 1_000) * stack.timeFactor, moves))) unmet.push('no progress within two intervals of the sweeper');
      await within(60_000, async () => (await left()) === 0);
      slowest = performance.now() - began;
    } finally {
      redis.disconnect();
    }
    return conclude(workload, [`${planted} orphans planted; all runs were ingested after ${ms(slowest)}`], unmet);
  },
};
