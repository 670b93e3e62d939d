import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceApart, startServiceApart } from './lib/apart.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs, type GeneratedLogs } from './lib/generate-logs.ts';
import { defaultModel, type LogModel } from './lib/log-model.ts';
import { startMlflow } from './peers/mlflow.ts';
import { orUnavailable } from './peers/python.ts';
import { rustBoard, type RustBoardLoad } from './peers/rustboard.ts';
import { withTemporaryFolder } from './lib/places.ts';
import { run } from './lib/processes.ts';
import type { Report, Row } from './lib/report.ts';
import { startService, type Upload, upload } from './lib/service.ts';
import { median } from './lib/stats.ts';

const MiB = 1024 * 1024;
/** Bytes per record of generated logs; converts `--single-file-gb` to steps. */
const recordBytes = 60;

interface Round {
  readonly cold: Upload;
  readonly warm: Upload;
  /** The same files once more, sent as columns. */
  readonly columns: Upload;
  /**
   * Measured before the first upload, between the uploads and after the third, so that a busy
   * moment of the machine does not affect only one measurement. Also measured before the upload
   * with separate processes, so that it starts under the same load as the first upload.
   */
  readonly loads: readonly RustBoardLoad[];
  readonly servicePeak: number;
  readonly postgresPeak: number;
  /**
   * The upload of the same files to a fresh service with separate processes, right after the
   * embedded service.
   */
  readonly apart: { readonly upload: Upload; readonly peaks: ReturnType<ServiceApart['peaks']> } | null;
}

/**
 * Measures the time from the CLI's start until every point of a log directory is visible, compared
 * with RustBoard's load of the same files into memory (which stores nothing and skips checksums)
 * and with MLflow's rate. Every round has a fresh service. The first upload is `cold`, and is the
 * result; the second uploads the same files as another experiment and is `warm`; the third sends
 * them as columns.
 */
export const ingest: Bench = {
  name: 'ingest',
  summary: 'time from CLI start until a log directory is visible, compared with RustBoard and MLflow',
  flags: {
    runs: { default: defaultModel.runs, help: 'runs' },
    tags: { default: defaultModel.tags, help: 'tags per run' },
    steps: { default: defaultModel.steps, help: 'steps per tag' },
    'single-file-gb': { default: 0, help: 'use one file of this many GB instead (20 tags)' },
    rounds: { default: 5, help: 'rounds; the table shows medians' },
    'mlflow-points': { default: 20_000, help: 'points to log to MLflow for its rate; 0: skip MLflow' },
    peers: { default: true, help: 'also measure the peers' },
    apart: { default: false, help: 'each round also measures separate processes, over Redis and S3' },
  },
  async run(context) {
    const model = modelOf(context);
    return withTemporaryFolder(async (folder) => {
      const logs = generateLogs(join(folder, 'logs'), model);
      context.say(`${logs.points} points, ${(logs.bytes / 1e6).toFixed(0)} MB in ${logs.files.length} files`);
      const peers = context.on('peers');
      const load = peers ? await orUnavailable(() => rustBoard(context.say), context.say) : null;
      const rounds: Round[] = [];
      for (let n = 1; n <= context.number('rounds'); n++) {
        rounds.push(await oneRound(join(folder, `round-${n}`), logs, load, context.on('apart')));
        const { cold, warm, columns, loads, apart } = rounds.at(-1)!;
        const peer = loads.map(({ seconds }) => seconds.toFixed(2)).join(', ') || '-';
        const separate = apart ? `, processes apart ${apart.upload.seconds.toFixed(2)} s` : '';
        context.say(
          `round ${n}: upload ${cold.seconds.toFixed(2)} s, again ${warm.seconds.toFixed(2)} s, as columns ${columns.seconds.toFixed(2)} s${separate}, RustBoard ${peer} s`,
        );
      }
      const mlflowPoints = peers ? context.number('mlflow-points') : 0;
      const mlflow = mlflowPoints > 0 ? await orUnavailable(() => mlflowRate(folder, mlflowPoints, context), context.say) : null;
      return report(context, logs, model, rounds, mlflow);
    });
  },
};

function modelOf(context: BenchContext): LogModel {
  const gigabytes = context.number('single-file-gb');
  if (gigabytes === 0)
    return { ...defaultModel, runs: context.number('runs'), tags: context.number('tags'), steps: context.number('steps') };
  return { ...defaultModel, runs: 1, steps: Math.ceil((gigabytes * 1e9) / recordBytes / defaultModel.tags) };
}

type Load = (directory: string) => Promise<RustBoardLoad>;

async function oneRound(folder: string, logs: GeneratedLogs, load: Load | null, apart: boolean): Promise<Round> {
  const loads: RustBoardLoad[] = [];
  const quiet = async (): Promise<void> => {
    await settle();
    if (load) loads.push(await load(logs.directory));
  };
  const service = await startService(join(folder, 'data'));
  try {
    await quiet();
    const cold = await upload(service, logs.directory, logs.points);
    await quiet();
    const warm = await upload(service, logs.directory, logs.points);
    await quiet();
    const columns = await upload(service, logs.directory, logs.points, ['--compress', 'columns']);
    await quiet();
    const { peakResident, postgresPeakProportional } = service.usage();
    await service.stop();
    return {
      cold,
      warm,
      columns,
      loads,
      servicePeak: peakResident,
      postgresPeak: postgresPeakProportional,
      apart: apart ? await uploadApart(join(folder, 'apart'), logs, quiet) : null,
    };
  } finally {
    await service.stop();
    await run('rm', ['-rf', folder]);
  }
}

/**
 * Flushes dirty pages, so that their writeback does not slow down the next measurement, and waits
 * until the service has loaded its lazy code.
 */
async function settle(): Promise<void> {
  await run('sync', []);
  await delay(2_000);
}

async function uploadApart(folder: string, logs: GeneratedLogs, quiet: () => Promise<void>): Promise<NonNullable<Round['apart']>> {
  const service = await startServiceApart(folder);
  try {
    await quiet();
    return { upload: await upload(service, logs.directory, logs.points), peaks: service.peaks() };
  } finally {
    await service.stop();
  }
}

async function mlflowRate(folder: string, points: number, context: BenchContext): Promise<number> {
  const server = await startMlflow(folder, context.say);
  try {
    const { seconds } = await server.log(points, defaultModel.tags);
    return points / seconds;
  } finally {
    await server.stop();
  }
}

function report(context: BenchContext, logs: GeneratedLogs, model: LogModel, rounds: readonly Round[], mlflow: number | null): Report {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const largest = (pick: (round: Round) => number): number => Math.max(...rounds.map(pick)) / MiB;
  const firstSeconds = middle(({ cold }) => cold.seconds);
  const loads = rounds.flatMap((round) => round.loads);
  const load = loads.length > 0 ? median(loads.map(({ seconds }) => seconds)) : null;
  const rows: Row[] = [
    { measure: 'upload until visible, first on a fresh service', value: firstSeconds, unit: 's' },
    { measure: 'upload until visible, second', value: middle(({ warm }) => warm.seconds), unit: 's' },
    { measure: 'RustBoard load into memory', value: load, unit: 's' },
    { measure: 'first upload / RustBoard', value: ratio(rounds, ({ cold }) => cold, 0), unit: 'x', atMost: 2.5 },
    { measure: 'second upload / RustBoard', value: ratio(rounds, ({ warm }) => warm, 1), unit: 'x' },
    {
      measure: 'processor time of the first upload',
      value: middle(({ cold }) => cold.processorSeconds),
      unit: 's',
      note: 'CLI, service and Postgres',
    },
    {
      measure: 'processor time of RustBoard',
      value: loads.length > 0 ? median(loads.map((one) => one.processorSeconds)) : null,
      unit: 's',
    },
    { measure: 'third upload, as columns', value: middle(({ columns }) => columns.seconds), unit: 's' },
    { measure: 'third upload / RustBoard', value: ratio(rounds, ({ columns }) => columns, 2), unit: 'x' },
    { measure: 'processor time of the second upload', value: middle(({ warm }) => warm.processorSeconds), unit: 's' },
    { measure: 'processor time of the third upload', value: middle(({ columns }) => columns.processorSeconds), unit: 's' },
    { measure: 'rate of the first upload', value: logs.points / firstSeconds, unit: 'points/s' },
    { measure: 'MLflow on SQLite, log_batch of 1,000', value: mlflow, unit: 'points/s' },
    { measure: 'rate / MLflow', value: mlflow === null ? null : logs.points / firstSeconds / mlflow, unit: 'x', atLeast: 100 },
    { measure: 'service, peak memory (VmHWM)', value: largest(({ servicePeak }) => servicePeak), unit: 'MiB', atMost: 600 },
    { measure: 'Postgres meanwhile, peak (sum of PSS)', value: largest(({ postgresPeak }) => postgresPeak), unit: 'MiB' },
    {
      measure: 'CLI, peak memory (VmHWM)',
      value: largest(({ cold, warm }) => Math.max(cold.peakBytes, warm.peakBytes)),
      unit: 'MiB',
      atMost: 200,
    },
    {
      measure: 'RustBoard, peak memory (keeps 1,000 points per series)',
      value: loads.length > 0 ? Math.max(...loads.map(({ peakBytes }) => peakBytes)) / MiB : null,
      unit: 'MiB',
    },
  ];
  rows.push(...rowsApart(rounds));
  const parameters = {
    runs: model.runs,
    tags: model.tags,
    steps: model.steps,
    points: logs.points,
    bytes: logs.bytes,
    rounds: context.number('rounds'),
  };
  return { bench: 'ingest', parameters, rows, samples: { rounds } };
}

/**
 * Returns the rate with separate processes relative to the embedded service in the same round, and
 * the memory of each process.
 */
function rowsApart(rounds: readonly Round[]): Row[] {
  const pairs = rounds.flatMap(({ cold, apart }) => (apart ? [{ cold, ...apart }] : []));
  if (pairs.length === 0) return [];
  return [
    { measure: 'separate processes: upload until visible, first', value: median(pairs.map((pair) => pair.upload.seconds)), unit: 's' },
    {
      measure: 'processes apart: rate / embedded',
      value: median(pairs.map((pair) => pair.cold.seconds / pair.upload.seconds)),
      unit: 'x',
      atLeast: 0.8,
    },
    ...(['upload', 'ingest', 'read'] as const).map((kind) => ({
      measure: `separate processes: ${kind}, peak memory (VmHWM)`,
      value: Math.max(...pairs.map(({ peaks }) => peaks[kind])) / MiB,
      unit: 'MiB',
      atMost: 512,
    })),
  ];
}

/**
 * Returns the median over the rounds of an upload's time relative to the mean of the loads before
 * and after it, which ran within seconds of each other.
 */
function ratio(rounds: readonly Round[], pick: (round: Round) => Upload, before: 0 | 1 | 2): number | null {
  const ratios = rounds.flatMap((round) => {
    const [one, other] = [round.loads[before], round.loads[before + 1]];
    return one && other ? [(2 * pick(round).seconds) / (one.seconds + other.seconds)] : [];
  });
  return ratios.length > 0 ? median(ratios) : null;
}
