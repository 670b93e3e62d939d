import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Bench, BenchContext } from './lib/bench.ts';
import { orUnavailable, pythonEnvironment } from './peers/python.ts';
import { generateLogs } from './lib/generate-logs.ts';
import { defaultModel } from './lib/log-model.ts';
import { repository, withTemporaryFolder } from './lib/places.ts';
import { run } from './lib/processes.ts';
import type { Report, Row } from './lib/report.ts';
import { plainEnvironment, startService, upload, type UploadReceipt } from './lib/service.ts';
import { median } from './lib/stats.ts';

/** A Python logging library, and the packages to install for it. */
interface Library {
  readonly name: 'plotline' | 'tensorboardx' | 'wandb' | 'trackio' | 'swanlab' | 'mlflow';
  readonly title: string;
  readonly packages: readonly string[];
  /** Divides the number of calls, because the full number would take minutes. */
  readonly fewer: number;
}

/** The output of `bench/python/log_calls.py`. */
interface Measured {
  readonly median_us: number;
  readonly p99_us: number;
  readonly total_s: number;
  readonly finish_s: number;
  readonly bytes: number;
}

const libraries: readonly Library[] = [
  { name: 'plotline', title: 'plotline', packages: ['google-crc32c>=1.5,<2', 'urllib3>=2,<3'], fewer: 1 },
  { name: 'tensorboardx', title: 'tensorboardX', packages: ['tensorboardX==2.6.4'], fewer: 10 },
  { name: 'wandb', title: 'W&B offline', packages: ['wandb==0.22.3'], fewer: 10 },
  { name: 'trackio', title: 'Trackio', packages: ['trackio==0.43.0'], fewer: 10 },
  { name: 'swanlab', title: 'SwanLab offline', packages: ['swanlab==0.10.3'], fewer: 10 },
  { name: 'mlflow', title: 'MLflow on SQLite', packages: ['mlflow==3.17.0'], fewer: 100 },
];

const scalars = 20;

/**
 * The experiment that is uploaded and read back: it always has this many series, regardless of its
 * number of points.
 */
const runs = 10;
const tags = 20;

/** The bounds hold for up to this many points. */
const boundedPoints = 2_000_000;

/**
 * Measures the cost of a `log` call for a training script, compared with other libraries, each with
 * its defaults but without a network: time in the call, and bytes on disk. Then measures the cost
 * of an upload, compared with the Node CLI, and of reading the points as a DataFrame.
 */
export const python: Bench = {
  name: 'python',
  summary: 'log with 20 scalars from Python: time and bytes on disk, compared with others; upload compared with Node; a DataFrame',
  flags: {
    calls: { default: 100_000, help: 'calls; the others get a tenth of it, MLflow a hundredth' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    peers: { default: true, help: 'also measure tensorboardX' },
    others: { default: false, help: 'also measure W&B, Trackio, SwanLab and MLflow, which are large to install' },
    points: { default: 2_000_000, help: 'points to upload with both clients and to read back as a DataFrame; 0: none' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const calls: Record<string, Measured[]> = {};
      const samples: Record<string, unknown> = { calls };
      const chosen = libraries.filter(({ name }) =>
        name === 'plotline' ? true : name === 'tensorboardx' ? context.on('peers') : context.on('others'),
      );
      const ready = [];
      for (const library of chosen) {
        const environment = await orUnavailable(() => pythonEnvironment(`log-${library.name}`, library.packages, context.say), context.say);
        if (environment !== null) ready.push({ library, environment });
      }
      for (let round = 1; round <= context.number('rounds'); round++) {
        for (const { library, environment } of ready) {
          const measured = await measure(library, environment, join(folder, `${library.name}-${round}`), context);
          (calls[library.name] ??= []).push(measured);
          context.say(`round ${round}: ${library.title}: ${measured.median_us.toFixed(1)} µs`);
        }
      }
      const rows = [
        ...ready.flatMap(({ library }) => rowsOf(library, calls[library.name]!, context)),
        ...(context.number('points') > 0 ? await serviceRows(folder, samples, context) : []),
      ];
      return {
        bench: 'python',
        parameters: { calls: context.number('calls'), scalars, rounds: context.number('rounds') },
        rows,
        samples,
      } satisfies Report;
    });
  },
};

/**
 * Uploads the same logs with both clients, alternating which client goes first, and reads the
 * points back as a DataFrame, each time in a new process.
 */
async function serviceRows(folder: string, samples: Record<string, unknown>, context: BenchContext): Promise<Row[]> {
  const packages = ['google-crc32c>=1.5,<2', 'urllib3>=2,<3', 'pandas>=2,<4', 'pyarrow>=14'];
  const environment = await orUnavailable(() => pythonEnvironment('read-plotline', packages, context.say), context.say);
  if (environment === null) return [];
  const steps = Math.ceil(context.number('points') / (runs * tags));
  const logs = generateLogs(join(folder, 'logs'), { ...defaultModel, runs, tags, steps });
  const service = await startService(join(folder, 'service'));
  const inPython = (...parameters: string[]): Promise<string> =>
    run(join(environment, 'bin', 'python'), parameters, {
      cwd: folder,
      env: {
        ...plainEnvironment(),
        PYTHONPATH: join(repository, 'clients/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        PLOTLINE_SERVER: service.origin,
        PLOTLINE_TOKEN: service.token,
        XDG_STATE_HOME: join(folder, 'python-state'),
      },
    });
  const seconds: Record<'node' | 'python' | 'frame', number[]> = { node: [], python: [], frame: [] };
  samples['seconds'] = seconds;
  let experiment = '';
  const uploads = {
    node: async () => (await upload(service, logs.directory, logs.points)).seconds,
    python: async () => {
      const started = performance.now();
      const printed = await inPython('-m', 'plotline', 'upload', '--logdir', logs.directory, '--one-shot', '--new', '--json');
      const took = (performance.now() - started) / 1000;
      const receipt = JSON.parse(printed) as UploadReceipt;
      if (receipt.points !== logs.points) throw new Error(`logged ${logs.points} points, stored ${receipt.points}`);
      experiment = receipt.experiment_id;
      return took;
    },
  };
  try {
    // The first upload to a new service is slower with every client.
    await uploads.node();
    for (let round = 1; round <= context.number('rounds'); round++) {
      for (const client of round % 2 === 1 ? (['node', 'python'] as const) : (['python', 'node'] as const)) {
        seconds[client].push(await uploads[client]());
        context.say(`round ${round}: upload of ${logs.points} points, ${client}: ${seconds[client].at(-1)!.toFixed(2)} s`);
      }
      const output = await inPython(join(repository, 'bench/python/read_frame.py'), experiment);
      const { points, seconds: took } = JSON.parse(output.trim().split('\n').at(-1)!) as { points: number; seconds: number };
      if (points !== logs.points) throw new Error(`read ${points} of ${logs.points} points`);
      context.say(`round ${round}: DataFrame of ${points} points: ${took.toFixed(2)} s`);
      seconds.frame.push(took);
    }
  } finally {
    await service.stop();
  }
  const isBounded = context.number('points') <= boundedPoints;
  const note = `${logs.points} points in ${runs * tags} series`;
  const ratios = seconds.python.map((took, round) => took / seconds.node[round]!);
  return [
    { measure: 'Node: upload until visible', value: median(seconds.node), unit: 's', note },
    { measure: 'plotline: upload until visible', value: median(seconds.python), unit: 's', note },
    { measure: 'plotline: upload, times Node', value: median(ratios), unit: '×', ...(isBounded && { atMost: 1.5 }) },
    { measure: 'plotline: DataFrame of raw points', value: median(seconds.frame), unit: 's', note, ...(isBounded && { atMost: 2 }) },
  ];
}

async function measure(library: Library, environment: string, folder: string, context: BenchContext): Promise<Measured> {
  mkdirSync(folder, { recursive: true });
  const script = join(repository, 'bench/python/log_calls.py');
  const path = library.name === 'plotline' ? [join(repository, 'clients/python/src')] : [];
  const output = await run(join(environment, 'bin', 'python'), [script, library.name, String(callsOf(library, context)), folder], {
    env: { ...process.env, PYTHONPATH: path.join(delimiter), PYTHONDONTWRITEBYTECODE: '1', MLFLOW_DISABLE_TELEMETRY: 'true' },
  });
  return JSON.parse(output.trim().split('\n').at(-1)!) as Measured;
}

function callsOf({ fewer }: Library, context: BenchContext): number {
  return Math.max(100, Math.ceil(context.number('calls') / fewer));
}

function rowsOf(library: Library, samples: readonly Measured[], context: BenchContext): Row[] {
  const middle = (pick: (measured: Measured) => number): number => median(samples.map(pick));
  const points = callsOf(library, context) * scalars;
  const { name, title } = library;
  return [
    { measure: `${title}: a call, median`, value: middle((m) => m.median_us), unit: 'µs', ...(name === 'plotline' && { atMost: 50 }) },
    { measure: `${title}: a call, p99`, value: middle((m) => m.p99_us), unit: 'µs' },
    { measure: `${title}: all calls and finish`, value: middle((m) => m.total_s + m.finish_s), unit: 's', note: `${points} points` },
    { measure: `${title}: on disk`, value: middle((m) => m.bytes) / points, unit: 'B/point' },
  ];
}
