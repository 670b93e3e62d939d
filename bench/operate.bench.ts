import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createToken } from '#auth';
import { MemoryBlobStore } from '#blobs/testing';
import { Dispatcher, Sweeper } from '#jobs';
import type { ExperimentId } from '#model';
import { writeEventFile } from '#testing';
import { DeletionWorld, type TestTenant } from '../apps/ingest/src/testing/deletion-world.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { HttpClient } from './lib/http.ts';
import { type LocalStore, openLocalStore } from './lib/local-store.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report } from './lib/report.ts';
import { type EmbeddedService, startService } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';

/** Experiments that are uploaded before they are ingested together. */
const together = 200;

/**
 * Measures the cost of a company's installation while the service is mostly idle: the list, the
 * sweep, and open pages.
 */
export const operate: Bench = {
  name: 'operate',
  summary: 'an installation with many experiments, live runs and series: the list of experiments, a sweep, and idle event streams',
  flags: {
    experiments: { default: 10_000, help: 'experiments, each with one live run' },
    series: { default: 50, help: 'series per run' },
    streams: { default: 2_000, help: 'open event streams, each of another experiment' },
    seconds: { default: 30, help: 'how long the streams are open' },
    requests: { default: 40, help: 'requests and sweeps' },
  },
  run: async (context) => {
    const kept = process.env['BENCH_DATA']; // a folder that is filled once, and measured again by later runs
    return kept ? measure(context, kept) : withTemporaryFolder((folder) => measure(context, join(folder, 'data')));
  },
};

/** A workspace in the service, and its watched experiments. */
interface Watched {
  readonly token: string;
  readonly experiments: readonly ExperimentId[];
}

async function measure(context: BenchContext, folder: string): Promise<Report> {
  const local = await openLocalStore(folder);
  let watched: readonly Watched[];
  let sweeps: readonly number[];
  try {
    const list = join(folder, 'watched.json');
    if (!existsSync(list)) writeFileSync(list, JSON.stringify(await fill(context, local)));
    watched = JSON.parse(readFileSync(list, 'utf8')) as readonly Watched[];
    sweeps = await timeSweeps(context, local);
  } finally {
    await local.close();
  }
  const service = await startService(folder, { PLOTLINE_QUOTA_REQUESTS_PER_MINUTE: '1000000' });
  try {
    await sleep(5_000); // what the start itself does
    const lists = await timeLists(context, service, watched[0]!.token);
    const idle = await loadOf(context, service);
    const streaming = await withStreams(service, watched, context.number('streams'), () => loadOf(context, service));
    return {
      bench: 'operate',
      parameters: Object.fromEntries(['experiments', 'series', 'streams', 'seconds'].map((flag) => [flag, context.number(flag)])),
      rows: [
        {
          measure: 'list of experiments, median',
          value: median(lists),
          unit: 'ms',
          atMost: 30,
          note: `p99 ${quantile(lists, 0.99).toFixed(1)}`,
        },
        { measure: 'one sweep, median', value: median(sweeps), unit: 'ms', atMost: 5, note: `p99 ${quantile(sweeps, 0.99).toFixed(1)}` },
        { measure: 'idle service and Postgres', value: idle * 100, unit: '% of a core' },
        {
          measure: `the same with ${context.number('streams')} idle streams, more by`,
          value: (streaming - idle) * 100,
          unit: '% of a core',
          atMost: 5,
        },
        { measure: 'memory of the largest process, at most', value: service.usage().peakResident / 2 ** 20, unit: 'MiB' },
      ],
      samples: { lists, sweeps },
    };
  } finally {
    await service.stop();
  }
}

/** Uploads with the service's own code, and leaves all runs live. */
async function fill(context: BenchContext, local: LocalStore): Promise<readonly Watched[]> {
  const world = new DeletionWorld(local.store, new MemoryBlobStore());
  const main: TestTenant = { tenantId: local.tenantId, personId: local.tenantId };
  const tags = Array.from({ length: context.number('series') }, (_, i) => `group-${i % 5}/tag-${i}`);
  const bytes = writeEventFile(
    [0, 1].map((step) => ({ step, wallTime: 1_700_000_000 + step, scalars: Object.fromEntries(tags.map((tag, i) => [tag, step + i])) })),
  );
  const experiments: ExperimentId[] = [];
  for (let made = 0; made < context.number('experiments'); made++) {
    const experimentId = await world.experiment(main, `experiment ${made}`);
    const fileId = await world.open(main, experimentId, 'run', 'events.out.tfevents.1');
    await world.append(main, experimentId, fileId, 0, bytes);
    experiments.push(experimentId);
    if ((made + 1) % together === 0 || made + 1 === context.number('experiments')) {
      await world.ingest(main);
      context.say(`${made + 1} experiments`);
    }
  }
  // A single share may use three quarters of a process's listeners, so half of the pages belong to
  // another share.
  const half = Math.ceil(context.number('streams') / 2);
  const other = await world.tenant('Other');
  const others: ExperimentId[] = [];
  for (let made = 0; made < half; made++) others.push(await world.experiment(other, `other ${made}`));
  const tokenOf = ({ tenantId, personId }: TestTenant): Promise<string> => createToken(local.store, { tenantId, personId, name: 'bench' });
  const admin = new pg.Client({ connectionString: local.adminUrl });
  await admin.connect();
  await admin.query('vacuum analyze');
  await admin.end();
  return [
    { token: await tokenOf(main), experiments: experiments.slice(0, half) },
    { token: await tokenOf(other), experiments: others },
  ];
}

/** Claims nothing, because nothing is pending. */
class Nobody extends Dispatcher {
  override offer(): void {}
  override start(): void {}
  override async close(): Promise<void> {}
}

async function timeSweeps(context: BenchContext, { store }: LocalStore): Promise<number[]> {
  const fail = (error: unknown): never => {
    throw error;
  };
  const sweeper = new Sweeper(store, new Nobody(), { everyMs: 60_000, maxRuns: 1_000, maxTailAgeMs: 3_600_000, onError: fail });
  return times(context.number('requests'), () => sweeper.sweep());
}

async function timeLists(context: BenchContext, service: EmbeddedService, token: string): Promise<number[]> {
  const http = new HttpClient();
  try {
    return await times(context.number('requests'), async () => {
      const { body } = await http.expect(`${service.origin}/api/v1/experiments`, { headers: { authorization: `Bearer ${token}` } });
      const { experiments } = JSON.parse(body.toString()) as { experiments: readonly unknown[] };
      if (experiments.length < Math.min(50, context.number('experiments')))
        throw new Error(`the list has ${experiments.length} experiments`);
    });
  } finally {
    http.close();
  }
}

/** Returns the milliseconds per call, after a few warm-up calls that do not count. */
async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let i = -5; i < count; i++) {
    const since = performance.now();
    await work();
    if (i >= 0) found.push(performance.now() - since);
  }
  return found;
}

/** Returns the CPU time of the service and its Postgres, as a share of one core. */
async function loadOf(context: BenchContext, service: EmbeddedService): Promise<number> {
  const [before, since] = [service.usage().processorSeconds, performance.now()];
  await sleep(context.number('seconds') * 1_000);
  return (service.usage().processorSeconds - before) / ((performance.now() - since) / 1_000);
}

/** Runs `work` while event streams are open, half of them for each workspace. */
async function withStreams<T>(service: EmbeddedService, watched: readonly Watched[], count: number, work: () => Promise<T>): Promise<T> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const open: IncomingMessage[] = [];
  const one = (url: string, token: string): Promise<void> =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a stream got status ${response.statusCode}`));
        open.push(response);
        response.on('error', () => undefined);
        response.once('data', () => resolve()); // the first event
        response.resume();
      }).on('error', reject);
    });
  try {
    const wanted = Array.from({ length: count }, (_, i) => {
      const { token, experiments } = watched[i % watched.length]!;
      return {
        token,
        url: `${service.origin}/api/v1/experiments/${experiments[Math.floor(i / watched.length) % experiments.length]!}/events`,
      };
    });
    for (let i = 0; i < wanted.length; i += 50) await Promise.all(wanted.slice(i, i + 50).map(({ url, token }) => one(url, token)));
    await sleep(8_000); // what is new is polled often for five seconds
    return await work();
  } finally {
    for (const response of open) response.destroy();
    agent.destroy();
  }
}
