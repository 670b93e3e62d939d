import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchContext } from './lib/bench.ts';
import { generateLogs, generateRun, runName } from './lib/generate-logs.ts';
import { buckets, type Curve, Reader, tag } from './lib/chart-reader.ts';
import type { Exchange } from './lib/http.ts';
import { defaultModel } from './lib/log-model.ts';
import { startMlflow } from './peers/mlflow.ts';
import { orUnavailable } from './peers/python.ts';
import { startTensorBoard, type TensorBoard } from './peers/tensorboard.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { type Service, startService, startUpload, upload } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';
import { untilIdle } from './lib/until-idle.ts';

/**
 * Series lengths. The unusual lengths are just below and above the lengths at which charts switch
 * to a coarser rollup level.
 */
const lengths = [10_000, 60_000, 70_000, 100_000, 500_000, 600_000, 1_000_000, 4_000_000, 5_000_000, 10_000_000];
const baseline = 1_000_000;
const rounds = 5;

/**
 * Measures charts of 1,000 buckets over REST on a kept-alive connection: for series of 10^4 to 10^7
 * points, for 20 runs at once, and during uploads. Times are measured from sending the request to
 * the last byte of the response. The requests are interleaved with requests to stock TensorBoard
 * for the same files.
 */
export const chart: Bench = {
  name: 'chart',
  summary: '1,000 buckets of series of 10^4 to 10^7 points, of 20 runs at once, and during ingest, compared with TensorBoard and MLflow',
  flags: {
    'max-points': { default: lengths.at(-1)!, help: 'longest series' },
    requests: { default: 100, help: 'requests per series; ten times as many for p99' },
    'mlflow-points': { default: 50_000, help: 'points of the MLflow metric to read; 0: skip MLflow' },
    peers: { default: true, help: 'also measure the peers' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const logs = join(folder, 'logs');
      const wanted = lengths.filter((length) => length <= Math.max(lengths[0]!, context.number('max-points')));
      const curves = wanted.map((points, index) => {
        generateRun(logs, longRun(points), { ...defaultModel, tags: 1, steps: points }, index);
        return { runs: [longRun(points)], points };
      });
      const many = generateLogs(join(logs, 'many'), { ...defaultModel, tags: 4 });
      const twenty = {
        runs: Array.from({ length: defaultModel.runs }, (_, run) => `many/${runName(run)}`),
        points: defaultModel.steps * defaultModel.runs,
      };
      const points = wanted.reduce((sum, length) => sum + length, many.points);
      const service = await startService(join(folder, 'data'));
      try {
        context.say(`uploading ${points} points`);
        const { receipt } = await upload(service, logs, points);
        context.say('waiting until the service has packed the originals');
        await untilIdle([service]);
        const reader = new Reader(service, receipt.experiment_id);
        const board = context.on('peers') ? await orUnavailable(() => startTensorBoard(logs, context.say), context.say) : null;
        let measured: Measured;
        try {
          measured = await interleaved(context, service, reader, board, curves, twenty);
        } finally {
          await board?.stop();
        }
        const busy = await underIngest(context, service, reader, folder);
        const mlflow = await mlflowChart(context, folder);
        reader.close();
        return report(context, measured, busy, mlflow);
      } finally {
        await service.stop();
      }
    });
  },
};

interface Measured {
  /** Milliseconds by series length. */
  readonly ours: Map<number, number[]>;
  readonly board: number[];
  readonly twenty: number[];
  readonly boardTwenty: number[];
  readonly twentyWhole: number[];
  readonly idle: number[];
  readonly bytes: Readonly<Record<string, number>>;
  /** CPU time of the service and Postgres per chart without other load, in milliseconds. */
  readonly processor: number;
}

interface Busy {
  readonly milliseconds: readonly number[];
  readonly uploads: number;
}

async function interleaved(
  context: BenchContext,
  service: Service,
  reader: Reader,
  board: TensorBoard | null,
  curves: readonly Curve[],
  twenty: Curve,
): Promise<Measured> {
  const each = Math.max(1, Math.round(context.number('requests') / rounds));
  const long = curves.find(({ points }) => points === baselineOf(context))!;
  const longRunName = long.runs[0]!;
  if (board) {
    context.say('waiting for TensorBoard to load the same files');
    for (const { runs, points } of curves) await board.waitFor(runs[0]!, tag, points - 1);
    for (const run of twenty.runs) await board.waitFor(run, tag, defaultModel.steps - 1);
  }
  for (const curve of [...curves, twenty]) await reader.check(curve);
  const ours = new Map(curves.map(({ points }) => [points, [] as number[]]));
  const found = {
    board: [] as number[],
    twenty: [] as number[],
    boardTwenty: [] as number[],
    twentyWhole: [] as number[],
    idle: [] as number[],
  };
  let processor = 0;
  for (let round = 0; round < rounds; round++) {
    for (const curve of curves) ours.get(curve.points)!.push(...(await times(each, () => reader.chart(curve))));
    if (board) found.board.push(...(await times(each, () => board.scalars(longRunName, tag))));
    found.twenty.push(...(await times(each, () => reader.chart(twenty, drawn))));
    if (board) found.boardTwenty.push(...(await times(each, () => board.multirun(twenty.runs, tag))));
    found.twentyWhole.push(...(await times(each, () => reader.chart(twenty))));
    const before = service.usage().processorSeconds;
    found.idle.push(...(await times(each * 10, () => reader.chart(long))));
    processor += (service.usage().processorSeconds - before) * 1000;
  }
  const bytes: Record<string, number> = {
    one: (await reader.chart(long)).body.length,
    twenty: (await reader.chart(twenty, drawn)).body.length,
  };
  if (board) {
    bytes['tensorboard_one'] = (await board.scalars(longRunName, tag)).body.length;
    bytes['tensorboard_twenty'] = (await board.multirun(twenty.runs, tag)).body.length;
  }
  return { ours, ...found, bytes, processor: processor / found.idle.length };
}

/**
 * Measures the same number of requests as for the idle p99, during a sequence of uploads of 2 M
 * points each.
 */
async function underIngest(context: BenchContext, service: Service, reader: Reader, folder: string): Promise<Busy> {
  const points = baselineOf(context);
  const curve = { runs: [longRun(points)], points };
  const directory = join(folder, 'busy');
  generateLogs(directory, defaultModel);
  const wanted = context.number('requests') * 10;
  context.say('the same charts during uploads');
  const milliseconds: number[] = [];
  let uploads = 0;
  while (milliseconds.length < wanted) {
    const running = startUpload(service, directory, ['--new', '--one-shot', '--json']);
    let ended = false;
    const over = running.exited.finally(() => (ended = true));
    // The CLI spends its first tenths of a second starting up, which puts no load on the service.
    await Promise.race([over, delay(300)]);
    while (!ended && milliseconds.length < wanted) milliseconds.push((await reader.chart(curve)).milliseconds);
    if ((await over) !== 0) throw new Error(`plotline upload failed\n${running.output()}`);
    uploads++;
  }
  return { milliseconds, uploads };
}

async function mlflowChart(context: BenchContext, folder: string): Promise<number[] | null> {
  const points = context.on('peers') ? context.number('mlflow-points') : 0;
  if (points === 0) return null;
  return orUnavailable(async () => {
    const server = await startMlflow(folder, context.say);
    try {
      const { run } = await server.log(points, 1);
      return await times(10, () => server.chart(run, buckets));
    } finally {
      await server.stop();
    }
  }, context.say);
}

function report(context: BenchContext, measured: Measured, busy: Busy, mlflow: number[] | null): Report {
  const { ours, board, twenty, boardTwenty, twentyWhole, idle, bytes } = measured;
  const stock = board.length > 0 ? median(board) : null;
  // On slower machines, the bound is a quarter of stock TensorBoard's time in the same run.
  const allowed = Math.max(10, (stock ?? 0) / 4);
  const rows: Row[] = [...ours].map(([points, milliseconds]) => ({
    measure: `${points.toLocaleString('en-US')} points`,
    value: median(milliseconds),
    unit: 'ms',
    atMost: points === baseline ? allowed : allowed * 1.5,
    note: `p99 ${quantile(milliseconds, 0.99).toFixed(1)}`,
  }));
  const stockTwenty = boardTwenty.length > 0 ? median(boardTwenty) : null;
  rows.push(
    {
      measure: 'TensorBoard /scalars, longest series up to 1 M',
      value: stock,
      unit: 'ms',
      note: `${bytes['tensorboard_one'] ?? '-'} bytes; ours ${bytes['one']}`,
    },
    {
      measure: '20 runs x 1,000 points',
      value: median(twenty),
      unit: 'ms',
      note: `p99 ${quantile(twenty, 0.99).toFixed(1)}, ${bytes['twenty']} bytes`,
    },
    {
      measure: 'TensorBoard /scalars_multirun, the same',
      value: stockTwenty,
      unit: 'ms',
      note: `${bytes['tensorboard_twenty'] ?? '-'} bytes`,
    },
    { measure: '20 runs x 1,000 points, all ten columns', value: median(twentyWhole), unit: 'ms' },
    { measure: '20 runs / TensorBoard', value: stockTwenty === null ? null : median(twenty) / stockTwenty, unit: 'x', atMost: 0.5 },
    {
      measure: 'MLflow, bulk interval',
      value: mlflow ? median(mlflow) : null,
      unit: 'ms',
      note: `of ${context.number('mlflow-points')} points`,
    },
    { measure: 'processor time per chart', value: measured.processor, unit: 'ms', note: 'service and Postgres, the series of 1 M points' },
    { measure: 'p99 idle', value: quantile(idle, 0.99), unit: 'ms', note: `${idle.length} requests` },
    {
      measure: 'p99 under ingest',
      value: quantile(busy.milliseconds, 0.99),
      unit: 'ms',
      note: `median ${median(busy.milliseconds).toFixed(1)}, ${busy.uploads} uploads`,
    },
    { measure: 'p99 under ingest / idle', value: quantile(busy.milliseconds, 0.99) / quantile(idle, 0.99), unit: 'x', atMost: 3 },
  );
  const parameters = { buckets, requests: context.number('requests'), longest: [...ours.keys()].at(-1) };
  const samples = { ours: Object.fromEntries(ours), board, twenty, boardTwenty, idle, busy: busy.milliseconds, mlflow, bytes };
  return { bench: 'chart', parameters, rows, samples };
}

/**
 * The columns of a line with its band: the columns that TensorBoard sends (step, wall time, a
 * value), and the extremes.
 */
const drawn = ['step', 'wall_time', 'last', 'min', 'max'];

/** Returns the series of 1 M points, or the longest series if all are shorter. */
function baselineOf(context: BenchContext): number {
  return lengths.filter((length) => length <= Math.min(baseline, context.number('max-points'))).at(-1) ?? lengths[0]!;
}

function longRun(points: number): string {
  return `long/points-${points}`;
}

async function times(count: number, send: () => Promise<Exchange>): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let n = 0; n < count; n++) milliseconds.push((await send()).milliseconds);
  return milliseconds;
}
