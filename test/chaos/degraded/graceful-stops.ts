import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from '../faults.ts';
import type { ProcessKind } from '../stack.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { tell } from './tell-redis.ts';
import { type Trial, trial } from './trial.ts';

const graceMs = 30_000;
/** Statuses after which clients retry automatically. */
const retryable = new Set<number | string>([204, 409, 429, 503, 507]);

/**
 * SIGTERM under load, to one process after another, as in a rolling deployment, and to all ingest
 * processes at the same time.
 */
export const gracefulStops: DegradedScenario = {
  test: 67,
  name: 'SIGTERM under load',
  run: (options) =>
    trial(options, { stack: { uploads: 2, ingests: 2, reads: 2 }, workload: { lanes: 12, pauseMs: 20 } }, async (parts) => {
      const { workload, prober, report } = parts;
      await prober.wellAfter(performance.now());
      const began = performance.now();
      const first = workload.log.entries.length;
      for (let round = 0; round < (options.full ? 10 : 1); round++)
        for (const kind of ['upload', 'ingest', 'read'] as const) await roll(parts, kind);
      const asked = prober.samples.filter(({ at }) => at >= began);
      const rejections = asked.filter(({ status }) => status !== null && status >= 300 && !retryable.has(status));
      report.figure(
        `${asked.length} requests meanwhile, ${rejections.length} rejected for good, ${asked.filter(({ status }) => status === null).length} connections lost`,
      );
      report.must(rejections.length === 0, `requests were rejected for good, e.g. ${JSON.stringify(rejections[0])}`);
      const appends = workload.log.entries.slice(first);
      const hard = appends.filter(({ status }) => typeof status === 'number' && !retryable.has(status));
      const cut = appends.filter(({ status }) => typeof status === 'string');
      report.figure(`${appends.length} appends meanwhile: ${hard.length} rejected for good, ${cut.length} connections lost`);
      report.must(hard.length === 0, `${hard.length} responses after which clients do not retry, e.g. ${JSON.stringify(hard[0])}`);
      await checkClaims(parts);
    }),
};

async function roll({ stack, report }: Trial, kind: ProcessKind): Promise<void> {
  for (const process of stack.of(kind)) {
    await sleep(500);
    const began = performance.now();
    const code = await process.stop(graceMs);
    report.figure(`${process.name} ended with ${code} after ${ms(performance.now() - began)}`);
    report.must(code === 0, `${process.name} exited with ${code}, not cleanly within ${ms(graceMs)}`);
    await process.start();
  }
}

/** Without ingest processes there must be no claims, neither in the ledger nor in the queue. */
async function checkClaims({ stack, report }: Trial): Promise<void> {
  await Promise.all(stack.of('ingest').map((process) => process.stop(graceMs)));
  const open = await administer(
    stack,
    `select pid, state, query from pg_stat_activity where usename = 'plotline_ingest' and xact_start is not null`,
  );
  const active = await activeJobs(stack.redis.port);
  report.figure(`after the last ingest process: ${open.length} transactions open, ${active} jobs claimed`);
  report.must(open.length === 0, `transactions are open: ${JSON.stringify(open)}`);
  report.must(active === 0, `${active} jobs are claimed without a process`);
  await Promise.all(stack.of('ingest').map((process) => process.start()));
}

/** Returns the number of jobs in BullMQ's active lists, for queues with any name. */
async function activeJobs(port: number): Promise<number> {
  const script = `local n = 0 for _, k in ipairs(redis.call('keys', '*:active')) do n = n + redis.call('llen', k) end return n`;
  return Number((await tell(port, `EVAL "${script}" 0`)).split('\r\n')[0]!.slice(1));
}
