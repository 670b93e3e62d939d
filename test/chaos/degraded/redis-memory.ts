import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '#testing';
import type { ManagedProcess } from '../managed-process.ts';
import { ms } from './prober.ts';
import type { DegradedScenario, Report } from './report.ts';
import { tell } from './tell-redis.ts';
import { drained, type Trial, trial } from './trial.ts';

/**
 * Redis runs out of memory and rejects writes. A Redis that would evict jobs is rejected at
 * startup.
 */
export const redisMemory: DegradedScenario = {
  test: 61,
  name: 'Redis without memory, and with a policy that evicts jobs',
  run: (options) =>
    trial(options, { workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      const { stack, workload, prober, report } = parts;
      await prober.wellAfter(performance.now());
      const began = performance.now();
      const first = workload.log.entries.length;
      await tell(stack.redis.port, 'CONFIG SET maxmemory 1');
      await sleep(options.full ? 60_000 : 8_000);
      const rejections = Number(/errorstat_OOM:count=(\d+)/.exec(await tell(stack.redis.port, 'INFO errorstats'))?.[1] ?? 0);
      const without = await drained(parts);
      await tell(stack.redis.port, 'CONFIG SET maxmemory 0');
      const freed = performance.now();
      prober.judge('Redis without memory', began, freed, 2_000);
      const visible = await drained(parts);
      checkAppends(parts, first, rejections, { without, visible });
      await rejectsPolicies(stack.processes, report);
    }),
};

function checkAppends({ workload, report }: Trial, first: number, rejections: number, times: { without: number; visible: number }): void {
  const appends = workload.log.entries.slice(first);
  const bad = appends.filter(({ outcome }) => outcome !== 'ok');
  report.figure(
    `${rejections} writes rejected by Redis; ${appends.length} appends, ${bad.length} not acknowledged; everything acknowledged is visible ${ms(times.without)} later meanwhile, and ${ms(times.visible)} after it had memory again`,
  );
  report.must(rejections > 0, 'no write hit the limit');
  report.must(bad.length === 0, `${bad.length} appends were not acknowledged, e.g. ${JSON.stringify(bad[0])}`);
  report.mustTake('everything visible without it', times.without, 15_000);
  report.mustTake('everything visible', times.visible, 15_000);
}

async function rejectsPolicies(processes: readonly ManagedProcess[], report: Report): Promise<void> {
  const redis = await startRedis({ 'maxmemory-policy': 'allkeys-lru' });
  try {
    for (const process of processes.filter(({ name }) => !name.startsWith('read'))) {
      const { code, output } = await startWith(process, redis.url);
      report.must(
        code !== null && code !== 0 && output.includes('noeviction'),
        `${process.name} accepts allkeys-lru: exited with ${code}: ${output}`,
      );
      report.figure(`${process.name} with allkeys-lru: exits with ${code}, “${output.trim().split('\n').at(-1)}”`);
    }
  } finally {
    await redis.stop();
  }
}

/** Returns how a process exits if it is started with another Redis; `code` is null if it serves. */
async function startWith({ spec }: ManagedProcess, redisUrl: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(spec.command, spec.args, {
    env: { ...spec.env(0), PLOTLINE_REDIS_URL: redisUrl, PLOTLINE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: printed }));
  });
}
