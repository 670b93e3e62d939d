import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { generateLogs, type GeneratedLogs } from './generate-logs.ts';
import { defaultModel, type LogModel } from './log-model.ts';
import { startMlflow } from './peers/mlflow.ts';
import { orUnavailable } from './peers/python.ts';
import { rustBoard, type RustBoardLoad } from './peers/rustboard.ts';
import { withTemporaryFolder } from './places.ts';
import { run } from './processes.ts';
import type { Report, Row } from './report.ts';
import { startService, type Upload, upload } from './service.ts';
import { median } from './stats.ts';

const MiB = 1024 * 1024;
/** Bytes per record of generated logs, to turn `--single-file-gb` into steps. */
const recordBytes = 60;

interface Round {
  readonly cold: Upload;
  readonly warm: Upload;
  readonly load: RustBoardLoad | null;
  readonly servicePeak: number;
  readonly postgresPeak: number;
}

/**
 * A log directory from the CLI's start until every point is visible, beside RustBoard's load of the same files into memory (which keeps
 * nothing on disk and does not check checksums) and MLflow's rate. Every round has a fresh service: its first upload is `cold`
 * and counts; the second, of the same files as another experiment, is `warm`.
 */
export const ingest: Bench = {
  name: 'ingest',
  summary: 'a log directory from the start of the CLI until everything is visible, beside RustBoard and MLflow',
  flags: {
    runs: { default: defaultModel.runs, help: 'runs' },
    tags: { default: defaultModel.tags, help: 'tags per run' },
    steps: { default: defaultModel.steps, help: 'steps per tag' },
    'single-file-gb': { default: 0, help: 'instead: one file of this many GB (20 tags)' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    'mlflow-points': { default: 20_000, help: 'points logged to MLflow for its rate; 0: without MLflow' },
    peers: { default: true, help: 'measure the peers too' },
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
        rounds.push(await oneRound(join(folder, `round-${n}`), logs, load));
        const { cold, warm, load: loaded } = rounds.at(-1)!;
        context.say(
          `round ${n}: upload ${cold.seconds.toFixed(2)} s, again ${warm.seconds.toFixed(2)} s, RustBoard ${loaded?.seconds.toFixed(2) ?? '-'} s`,
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

async function oneRound(folder: string, logs: GeneratedLogs, load: ((directory: string) => Promise<RustBoardLoad>) | null): Promise<Round> {
  // What earlier rounds left to be written back must not slow down this one.
  await run('sync', []);
  const loaded = load ? await load(logs.directory) : null;
  const service = await startService(join(folder, 'data'));
  try {
    const cold = await upload(service, logs.directory, logs.points);
    const warm = await upload(service, logs.directory, logs.points);
    const peaks = service.memory();
    return { cold, warm, load: loaded, servicePeak: peaks.peakResident, postgresPeak: peaks.postgresPeakProportional };
  } finally {
    await service.stop();
    await run('rm', ['-rf', folder]);
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
  const cold = middle(({ cold }) => cold.seconds);
  const loads = rounds.flatMap(({ load }) => (load ? [load.seconds] : []));
  const rows: Row[] = [
    { measure: 'upload until visible, first on a fresh service', value: cold, unit: 's' },
    { measure: 'upload until visible, second', value: middle(({ warm }) => warm.seconds), unit: 's' },
    { measure: 'RustBoard, load into memory', value: loads.length > 0 ? median(loads) : null, unit: 's' },
    // The ratio of each round, not of the medians: both were measured within seconds of each other.
    { measure: 'first upload / RustBoard', value: ratio(rounds, ({ cold }) => cold.seconds), unit: 'x', atMost: 2.5 },
    { measure: 'second upload / RustBoard', value: ratio(rounds, ({ warm }) => warm.seconds), unit: 'x' },
    { measure: 'rate of the first upload', value: logs.points / cold, unit: 'points/s' },
    { measure: 'MLflow on SQLite, log_batch of 1,000', value: mlflow, unit: 'points/s' },
    { measure: 'rate / MLflow', value: mlflow === null ? null : logs.points / cold / mlflow, unit: 'x', atLeast: 100 },
    { measure: 'service, peak memory (VmHWM)', value: largest(({ servicePeak }) => servicePeak), unit: 'MiB', atMost: 600 },
    { measure: 'Postgres beside it, peak (sum of PSS)', value: largest(({ postgresPeak }) => postgresPeak), unit: 'MiB' },
    {
      measure: 'CLI, peak memory (VmHWM)',
      value: largest(({ cold, warm }) => Math.max(cold.peakBytes, warm.peakBytes)),
      unit: 'MiB',
      atMost: 200,
    },
    {
      measure: 'RustBoard, peak memory (keeps 1,000 points per series)',
      value: loads.length > 0 ? largest(({ load }) => load!.peakBytes) : null,
      unit: 'MiB',
    },
  ];
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

function ratio(rounds: readonly Round[], pick: (round: Round) => number): number | null {
  const ratios = rounds.flatMap((round) => (round.load ? [pick(round) / round.load.seconds] : []));
  return ratios.length > 0 ? median(ratios) : null;
}
