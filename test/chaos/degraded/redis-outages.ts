import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seededRandom } from '#testing';
import { quantile } from '../visibility.ts';
import { drainMs, within } from '../workload.ts';
import { ms } from './prober.ts';
import type { Report, Scenario } from './report.ts';
import { tell } from './tell-redis.ts';
import { drained, resumes, type Trial, trial } from './trial.ts';

/**
 * Redis is away for some time, then for longer; then it is wiped again and again. Neither uploads nor readers must notice, and ingest stays ready,
 * because everything goes on. When nothing does though all connections are well, ingest must say so.
 */
export const redisOutages: Scenario = {
  test: 60,
  name: 'Redis down, and wiped, during an upload',
  run: (options) =>
    trial(options, { stack: { env: { PLOTLINE_STALL_SECONDS: '5' } }, workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      await parts.prober.wellAfter(performance.now());
      for (const seconds of options.full ? [15, 60, 600] : [15]) await outage(parts, seconds);
      await standstill(parts);
      await wipes(parts, options.full ? 20 : 4, seededRandom(options.seed));
      const restarts = parts.stack.processes.flatMap(({ deaths }) => deaths).length;
      parts.report.must(restarts === 0, `${restarts} processes ended: they must go on by themselves`);
    }),
};

/** So long after the loss or the return of Redis everything acknowledged until then must be visible. */
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
  const refused = appends.filter(({ outcome }) => outcome !== 'ok');
  const times = appends.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  report.figure(
    `${seconds} s without Redis: ${appends.length} appends, ${refused.length} not acknowledged, p99 ${ms(quantile(times, 0.99))}; ` +
      `what was acknowledged is visible ${ms(without)} after its loss, ${ms(atEnd)} at the end, ${ms(visible)} after its return; ` +
      `ingest not ready ${notReady} times; the queue is used again ${ms(taken)} after its return`,
  );
  report.must(refused.length === 0, `${refused.length} appends were not acknowledged while Redis was away: ${JSON.stringify(refused[0])}`);
  report.mustTake('everything visible after the loss of Redis', without, limitMs);
  report.mustTake('everything visible at the end of the outage', atEnd, limitMs);
  report.mustTake('processing caught up after the return of Redis', visible, limitMs);
  report.mustTake('the queue is used again', taken, limitMs);
  report.must(notReady === 0, `ingest said ${notReady} times that it is not ready though its work went on`);
  prober.judge(`${seconds} s without Redis`, began, back, 2_000);
}

/** Looks four times a second; how often the ingest process said that it is not ready. */
async function watchReadiness(stack: Trial['stack'], until: number): Promise<number> {
  let notReady = 0;
  for (; performance.now() < until; await sleep(250)) if (!(await isReady(stack))) notReady++;
  return notReady;
}

/** Milliseconds after `back` until, by BullMQ's word, a job that came out of the queue of the Redis that was started then has ended; NaN: none within a minute. */
async function queueWorks({ redis }: Trial['stack'], back: number): Promise<number> {
  const hasEnded = async () => (await tell(redis.port, 'XRANGE {plotline}:ingest-run:events - +')).includes('completed');
  return (await within(60_000, hasEnded)) ? performance.now() - back : NaN;
}

/** Ingest cannot write for a while, with every connection well. */
async function standstill({ stack, workload, prober, report }: Trial): Promise<void> {
  const first = workload.log.entries.length;
  const began = performance.now();
  const client = new pg.Client({ connectionString: stack.adminUrl, application_name: 'chaos' });
  await client.connect();
  let fell = NaN;
  try {
    await client.query('begin');
    await client.query('lock table series, series_stats, scalar_chunk, run_tail in share mode'); // who reads goes on
    if (await within(60_000, async () => !(await isReady(stack)))) fell = performance.now() - began;
  } finally {
    await client.end();
  }
  const released = performance.now();
  const resumed = await resumes({ stack, workload });
  const visible = resumed + (await drained({ stack, workload }));
  const refused = workload.log.entries.slice(first).filter(({ outcome }) => outcome !== 'ok');
  report.figure(
    `ingest cannot write: not ready after ${ms(fell)}; ${refused.length} appends not acknowledged; ` +
      `goes on ${ms(resumed)} after its end, everything visible after ${ms(visible)}`,
  );
  report.must(!Number.isNaN(fell), 'readiness did not fall though nothing was processed');
  report.must(refused.length === 0, `${refused.length} appends were not acknowledged: ${JSON.stringify(refused[0])}`);
  report.mustTake('work goes on', resumed, limitMs);
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
  report.figure(`${count} wipes: the backlog is drained after p50 ${ms(quantile(drains, 0.5))}, at most ${ms(drains.at(-1)!)}`);
  report.mustTake('backlog drained after a wipe', drains.at(-1)!, drainMs);
}
