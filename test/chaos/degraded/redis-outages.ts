import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seededRandom } from '#testing';
import { quantile } from '../visibility.ts';
import { drainMs, within } from '../workload.ts';
import { ms } from './prober.ts';
import type { DegradedScenario, Report } from './report.ts';
import { tell } from './tell-redis.ts';
import { drained, resumes, type Trial, trial } from './trial.ts';

/**
 * Redis is down for a while, then for longer; then it is wiped repeatedly. Uploads and readers must
 * not be affected, and ingest remains ready, because it makes progress. If ingest makes no progress
 * although all connections work, it must report this.
 */
export const redisOutages: DegradedScenario = {
  test: 60,
  name: 'Redis down, and wiped, during an upload',
  run: (options) =>
    trial(options, { stack: { env: { PLOTLINE_STALL_SECONDS: '5' } }, workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      await parts.prober.wellAfter(performance.now());
      for (const seconds of options.full ? [15, 60, 600] : [15]) await outage(parts, seconds);
      await standstill(parts);
      await wipes(parts, options.full ? 20 : 4, seededRandom(options.seed));
      const restarts = parts.stack.processes.flatMap(({ deaths }) => deaths).length;
      parts.report.must(restarts === 0, `${restarts} processes exited: they must recover by themselves`);
    }),
};

/**
 * After Redis goes down or comes back, everything acknowledged until then must become visible
 * within this time.
 */
const limitMs = 15_000;

async function outage({ stack, workload, prober, report }: Trial, seconds: number): Promise<void> {
  const { log } = workload;
  const first = log.entries.length;
  await stack.redis.kill();
  const began = performance.now();
  const [without, notReady] = await Promise.all([drained({ stack, workload }), watchReadiness(stack, began + seconds * 1_000)]);
  const atEnd = await drained({ stack, workload });
  await stack.redis.start();
  const back = performance.now();
  const [visible, taken] = await Promise.all([drained({ stack, workload }), queueWorks(stack, back)]);
  const appends = log.entries.slice(first);
  const rejected = appends.filter(({ outcome }) => outcome !== 'ok');
  const times = appends.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  report.figure(
    `${seconds} s without Redis: ${appends.length} appends, ${rejected.length} not acknowledged, p99 ${ms(quantile(times, 0.99))}; ` +
      `what was acknowledged is visible ${ms(without)} after Redis went down, ${ms(atEnd)} at the end, ${ms(visible)} after it came back; ` +
      `ingest not ready ${notReady} times; the queue is used again ${ms(taken)} after Redis came back`,
  );
  report.must(
    rejected.length === 0,
    `${rejected.length} appends were not acknowledged while Redis was down: ${JSON.stringify(rejected[0])}`,
  );
  report.mustTake('everything visible after Redis went down', without, limitMs);
  report.mustTake('everything visible at the end of the outage', atEnd, limitMs);
  report.mustTake('processing caught up after Redis came back', visible, limitMs);
  report.mustTake('the queue is used again', taken, limitMs);
  report.must(notReady === 0, `ingest reported ${notReady} times that it is not ready although it made progress`);
  prober.judge(`${seconds} s without Redis`, began, back, 2_000);
}

/** Polls four times a second; returns how often the ingest process was not ready. */
async function watchReadiness(stack: Trial['stack'], until: number): Promise<number> {
  let notReady = 0;
  for (; performance.now() < until; await sleep(250)) if (!(await isReady(stack))) notReady++;
  return notReady;
}

/**
 * Returns the milliseconds from `back` until BullMQ reports a finished job from the queue of the
 * Redis that started then; NaN if there is none within a minute.
 */
async function queueWorks({ redis }: Trial['stack'], back: number): Promise<number> {
  const hasEnded = async () => (await tell(redis.port, 'XRANGE {plotline}:ingest-run:events - +')).includes('completed');
  return (await within(60_000, hasEnded)) ? performance.now() - back : NaN;
}

/** Ingest cannot write for a while, although every connection works. */
async function standstill({ stack, workload, prober, report }: Trial): Promise<void> {
  const first = workload.log.entries.length;
  const began = performance.now();
  const client = new pg.Client({ connectionString: stack.adminUrl, application_name: 'chaos' });
  await client.connect();
  let fell = NaN;
  try {
    await client.query('begin');
    // Readers are not blocked.
    await client.query('lock table series, series_stats, scalar_chunk, run_tail in share mode');
    if (await within(60_000, async () => !(await isReady(stack)))) fell = performance.now() - began;
  } finally {
    await client.end();
  }
  const released = performance.now();
  const resumed = await resumes({ stack, workload });
  const visible = resumed + (await drained({ stack, workload }));
  const rejected = workload.log.entries.slice(first).filter(({ outcome }) => outcome !== 'ok');
  report.figure(
    `ingest cannot write: not ready after ${ms(fell)}; ${rejected.length} appends not acknowledged; ` +
      `resumes ${ms(resumed)} after the lock is released, everything visible after ${ms(visible)}`,
  );
  report.must(!Number.isNaN(fell), 'ingest stayed ready although nothing was processed');
  report.must(rejected.length === 0, `${rejected.length} appends were not acknowledged: ${JSON.stringify(rejected[0])}`);
  report.mustTake('work resumes', resumed, limitMs);
  report.mustTake('everything visible', visible, limitMs);
  await becomesReady(stack, report);
  prober.judge('ingest cannot write', began, released, 2_000);
}

async function becomesReady(stack: Trial['stack'], report: Report): Promise<void> {
  report.must(await within(60_000, () => isReady(stack)), 'ingest is not ready again after the backlog was drained');
}

async function isReady(stack: Trial['stack']): Promise<boolean> {
  const port = stack.of('ingest')[0]!.spec.env(0).PLOTLINE_PORT;
  return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null))?.ok ?? false;
}

async function wipes({ stack, workload, report }: Trial, count: number, random: () => number): Promise<void> {
  const drains: number[] = [];
  for (let wipe = 0; wipe < count; wipe++) {
    await sleep(300 + random() * 1_000);
    await stack.redis.wipe();
    await sleep(random() * 1_000);
    await stack.redis.start();
    drains.push(await drained({ stack, workload }));
  }
  drains.sort((a, b) => a - b);
  report.figure(`${count} wipes: the backlog is drained after p50 ${ms(quantile(drains, 0.5))}, maximum ${ms(drains.at(-1)!)}`);
  report.mustTake('backlog drained after a wipe', drains.at(-1)!, drainMs);
}
