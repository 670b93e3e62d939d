import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { quantile } from '../visibility.ts';
import { drainMs, within } from '../workload.ts';
import { ms } from './prober.ts';
import type { Report, Scenario } from './report.ts';
import { drained, resumes, type Trial, trial } from './trial.ts';

/** Redis is away for some time, then for longer; then it is wiped again and again. Uploads must not notice. */
export const redisOutages: Scenario = {
  test: 60,
  name: 'Redis down, and wiped, during an upload',
  run: (options) =>
    trial(options, { stack: { env: { PLOTLINE_STALL_SECONDS: '5' } }, workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      await parts.prober.wellAfter(performance.now());
      for (const seconds of options.full ? [15, 60, 600] : [15]) await outage(parts, seconds);
      await wipes(parts, options.full ? 20 : 4, seededRandom(options.seed));
      const restarts = parts.stack.processes.flatMap(({ deaths }) => deaths).length;
      parts.report.must(restarts === 0, `${restarts} processes ended: they must go on by themselves`);
    }),
};

async function outage({ stack, workload, prober, report }: Trial, seconds: number): Promise<void> {
  const { log } = workload;
  const first = log.entries.length;
  await stack.redis.kill();
  const began = performance.now();
  const ready = await watchReadiness(stack, began + seconds * 1_000);
  await stack.redis.start();
  const back = performance.now();
  const resumed = await resumes({ stack, workload });
  const visible = resumed + (await drained({ stack, workload }));
  const appends = log.entries.slice(first);
  const refused = appends.filter(({ outcome }) => outcome !== 'ok');
  const times = appends.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  report.figure(
    `${seconds} s without Redis: ${appends.length} appends, ${refused.length} not acknowledged, p99 ${ms(quantile(times, 0.99))}; ` +
      `not ready ${ready === null ? 'never' : `after ${ms(ready - began)}`}; work goes on ${ms(resumed)} after its return, everything visible ${ms(visible)} after it`,
  );
  report.must(refused.length === 0, `${refused.length} appends were not acknowledged while Redis was away: ${JSON.stringify(refused[0])}`);
  report.mustTake('work goes on after the return of Redis', resumed, 15_000);
  report.mustTake('processing caught up after the return of Redis', visible, 15_000);
  report.must(ready !== null, 'readiness did not fall though nothing was processed');
  await becomesReady(stack, report);
  prober.judge(report, `${seconds} s without Redis`, began, back, 2_000);
}

/** When the ingest process first said that it is not ready, as performance.now(); null when it never did. */
async function watchReadiness(stack: Trial['stack'], until: number): Promise<number | null> {
  let fell: number | null = null;
  for (; performance.now() < until; await sleep(250)) if (fell === null && !(await isReady(stack))) fell = performance.now();
  return fell;
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
