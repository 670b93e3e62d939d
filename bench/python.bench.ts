import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { orUnavailable, pythonEnvironment } from './peers/python.ts';
import { repository, withTemporaryFolder } from './places.ts';
import { run } from './processes.ts';
import type { Report, Row } from './report.ts';
import { median } from './stats.ts';

/** A Python logging library, and the packages to install for it. */
interface Library {
  readonly name: 'plotline' | 'tensorboardx' | 'wandb' | 'mlflow';
  readonly title: string;
  readonly packages: readonly string[];
  /** Divides the number of calls: the full number would take minutes. */
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
  { name: 'mlflow', title: 'MLflow on SQLite', packages: ['mlflow==3.17.0'], fewer: 100 },
];

const scalars = 20;

/**
 * The cost of a `log` call for a training, compared with other libraries: time in the call, and
 * bytes on disk. Nothing is uploaded.
 */
export const python: Bench = {
  name: 'python',
  summary: 'a call of log with 20 scalars from Python: time and bytes on disk, compared with tensorboardX',
  flags: {
    calls: { default: 100_000, help: 'calls; tensorboardX and W&B get a tenth of it, MLflow a hundredth' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    peers: { default: true, help: 'also measure tensorboardX' },
    others: { default: false, help: 'also measure W&B and MLflow, which are large to install' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const samples: Record<string, Measured[]> = {};
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
          (samples[library.name] ??= []).push(measured);
          context.say(`round ${round}: ${library.title}: ${measured.median_us.toFixed(1)} µs`);
        }
      }
      const rows = ready.flatMap(({ library }) => rowsOf(library, samples[library.name]!, context));
      return {
        bench: 'python',
        parameters: { calls: context.number('calls'), scalars, rounds: context.number('rounds') },
        rows,
        samples,
      } satisfies Report;
    });
  },
};

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
