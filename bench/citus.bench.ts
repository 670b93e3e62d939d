import { join } from 'node:path';
import { startServiceApart } from './lib/apart.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { type Curve, Reader } from './lib/chart-reader.ts';
import { generateLogs, generateRun } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { type Service, upload } from './lib/service.ts';
import { median } from './lib/stats.ts';
import { untilIdle } from './lib/until-idle.ts';

/** Lengths of series. */
const lengths = [10_000, 100_000, 1_000_000];
const kinds = ['single', 'cluster'] as const;
type Kind = (typeof kinds)[number];

/**
 * Measures uploads and charts of a service on a Citus cluster, alternating with the same service on
 * one Postgres server. Both have the same processes, on the same machine, so this shows what
 * distribution costs, not what more machines gain.
 */
export const citus: Bench = {
  name: 'citus',
  summary: 'uploads and charts on a Citus cluster (TEST_CITUS: the folder of its programs), compared with one Postgres server',
  flags: {
    rounds: { default: 3, help: 'uploads to each' },
    runs: { default: defaultModel.runs, help: 'runs of each upload' },
    tags: { default: defaultModel.tags, help: 'tags of each run' },
    steps: { default: defaultModel.steps, help: 'steps of each tag' },
    shards: { default: 32, help: 'shards of each table' },
    requests: { default: 100, help: 'charts of each series and service' },
  },
  async run(context) {
    const binFolder = process.env['TEST_CITUS'];
    if (!binFolder) throw new Error('TEST_CITUS is not set: the folder of the programs of a Postgres with Citus');
    return withTemporaryFolder(async (folder) => {
      const services = new Map<Kind, Service>();
      try {
        services.set('single', await startServiceApart(join(folder, 'single'), {}, { citus: null }));
        services.set(
          'cluster',
          await startServiceApart(join(folder, 'cluster'), {}, { citus: { binFolder, shards: context.number('shards') } }),
        );
        const seconds = await uploads(context, folder, services);
        const milliseconds = await charts(context, folder, services);
        return report(context, seconds, milliseconds);
      } finally {
        for (const service of services.values()) await service.stop();
      }
    });
  },
};

type Samples = Record<Kind, number[]>;

/**
 * Measures the seconds until an upload is visible. The service that uploads first alternates
 * between pairs.
 */
async function uploads(context: BenchContext, folder: string, services: ReadonlyMap<Kind, Service>): Promise<Samples> {
  const model = { ...defaultModel, runs: context.number('runs'), tags: context.number('tags'), steps: context.number('steps') };
  const logs = generateLogs(join(folder, 'logs'), model);
  const seconds: Samples = { single: [], cluster: [] };
  for (let round = 0; round < context.number('rounds'); round++) {
    for (const kind of inTurn(round)) {
      await untilIdle([...services.values()]);
      seconds[kind].push((await upload(services.get(kind)!, logs.directory, logs.points)).seconds);
    }
    context.say(`round ${round + 1}: ${kinds.map((kind) => `${kind} ${seconds[kind].at(-1)!.toFixed(2)} s`).join(', ')}`);
  }
  return seconds;
}

/** Measures the milliseconds per chart, by series length. */
async function charts(context: BenchContext, folder: string, services: ReadonlyMap<Kind, Service>): Promise<ReadonlyMap<number, Samples>> {
  const logs = join(folder, 'long');
  const curves = lengths.map((points, index): Curve => {
    generateRun(logs, `points-${points}`, { ...defaultModel, tags: 1, steps: points }, index);
    return { runs: [`points-${points}`], points };
  });
  const total = lengths.reduce((sum, points) => sum + points, 0);
  const readers = new Map<Kind, Reader>();
  try {
    for (const kind of kinds) {
      const service = services.get(kind)!;
      const { receipt } = await upload(service, logs, total);
      readers.set(kind, new Reader(service, receipt.experiment_id));
    }
    await untilIdle([...services.values()]);
    const found = new Map<number, Samples>();
    for (const curve of curves) {
      const milliseconds: Samples = { single: [], cluster: [] };
      for (const reader of readers.values()) await reader.check(curve);
      for (let request = 0; request < context.number('requests'); request++)
        for (const kind of inTurn(request)) milliseconds[kind].push((await readers.get(kind)!.chart(curve)).milliseconds);
      found.set(curve.points, milliseconds);
    }
    return found;
  } finally {
    for (const reader of readers.values()) reader.close();
  }
}

function inTurn(round: number): readonly Kind[] {
  return round % 2 === 0 ? kinds : kinds.toReversed();
}

function report(context: BenchContext, seconds: Samples, milliseconds: ReadonlyMap<number, Samples>): Report {
  const rows: Row[] = [
    { measure: 'upload until visible, one server', value: median(seconds.single), unit: 's' },
    { measure: 'upload until visible, cluster', value: median(seconds.cluster), unit: 's' },
    { measure: 'rate of uploads: cluster / one server', value: ratio(seconds), unit: 'x', atLeast: 0.8 },
    ...[...milliseconds].flatMap(([points, samples]): Row[] => [
      { measure: `chart of ${points} points, one server`, value: median(samples.single), unit: 'ms' },
      { measure: `chart of ${points} points, cluster`, value: median(samples.cluster), unit: 'ms' },
      { measure: `rate of charts of ${points} points: cluster / one server`, value: ratio(samples), unit: 'x', atLeast: 0.8 },
    ]),
  ];
  const flags = ['rounds', 'runs', 'tags', 'steps', 'shards', 'requests'];
  const parameters = Object.fromEntries(flags.map((flag) => [flag, context.number(flag)]));
  return { bench: 'citus', parameters, rows, samples: { seconds, milliseconds: Object.fromEntries(milliseconds) } };
}

/**
 * Returns the single server's time relative to the cluster's: the median over pairs that ran within
 * seconds of each other.
 */
function ratio({ single, cluster }: Samples): number {
  return median(single.map((one, i) => one / cluster[i]!));
}
