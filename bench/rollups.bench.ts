import { updateSeries } from '#chunks';
import type { ExperimentId, PointColumns } from '#model';
import { copyChunks, ensureRun, insertFile, insertSeries, noteSeriesToRollUp } from '#store';
import { rollUpRun } from '../apps/ingest/src/roll-up/roll-up-run.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { type LocalStore, withLocalStore } from './lib/local-store.ts';
import { firstWallTime } from './lib/log-model.ts';
import type { Row } from './lib/report.ts';
import { median, quantile } from './lib/stats.ts';
import { type ChartRequest, chartOnce, pointsOf } from './lib/store-charts.ts';

const baseline = 1_000_000;
/** Points per transaction while loading. */
const batchPoints = 262_144;

/**
 * Measures charts of a very long series: one series per experiment, loaded as chunks without a
 * service, and read in an interleaved order.
 */
export const rollups: Bench = {
  name: 'rollups',
  summary: '1,000 buckets of a series of 100 M points compared with one of 1 M, before and after rollups, and of its parts',
  flags: {
    points: { default: 100_000_000, help: 'points of the long series' },
    requests: { default: 40, help: 'charts of each kind' },
  },
  run: (context) => withLocalStore((local) => compare(context, local)),
};

async function compare(context: BenchContext, local: LocalStore) {
  const long = context.number('points');
  const requests = context.number('requests');
  const experimentId = await local.experiment();
  for (const points of new Set([baseline, 4 * baseline, long])) {
    context.say(`loading ${points.toLocaleString('en-US')} points`);
    await load(local, experimentId, points);
  }
  const chartRequest = (points: number, range: Partial<ChartRequest> = {}): ChartRequest => ({
    experimentId,
    tag: tagOf(points),
    ...range,
  });
  const unrolled = await times(local, chartRequest(long), long, 3);
  const started = performance.now();
  const transactions: number[] = [];
  for (const points of new Set([baseline, 4 * baseline, long])) await rollUp(local, experimentId, points, transactions);
  const rollSeconds = (performance.now() - started) / 1000;
  context.say(`rolled up in ${transactions.length} transactions, ${rollSeconds.toFixed(1)} s`);

  const middle = { from: BigInt(Math.round(long * 0.3)) + 7n, to: BigInt(Math.round(long * 0.7)) + 7n };
  const tenth = { from: BigInt(Math.round(long * 0.5)) + 7n, to: BigInt(Math.round(long * 0.6)) + 7n };
  const kinds: { readonly name: string; readonly request: ChartRequest; readonly points: number; readonly atMost?: number }[] = [
    { name: '1 M points', request: chartRequest(baseline), points: baseline },
    { name: '4 M points', request: chartRequest(4 * baseline), points: 4 * baseline },
    { name: `${long / 1e6} M points`, request: chartRequest(long), points: long, atMost: 2 },
    {
      name: `the middle 40 % of ${long / 1e6} M`,
      request: chartRequest(long, middle),
      points: Number(middle.to - middle.from) + 1,
      atMost: 2,
    },
    { name: `a tenth of ${long / 1e6} M`, request: chartRequest(long, tenth), points: Number(tenth.to - tenth.from) + 1 },
  ];
  const measured = kinds.map(() => [] as number[]);
  for (let round = 0; round < requests; round++)
    for (const [i, kind] of kinds.entries()) measured[i]!.push(...(await times(local, kind.request, kind.points, 1)));
  const yard = median(measured[0]!);
  const rows = kinds.flatMap(({ name, atMost }, i): Row[] => [
    { measure: name, value: median(measured[i]!), unit: 'ms', note: `p99 ${quantile(measured[i]!, 0.99).toFixed(1)}` },
    ...(i > 0
      ? [{ measure: `${name} / 1 M`, value: median(measured[i]!) / yard, unit: 'x', ...(atMost !== undefined && { atMost }) }]
      : []),
  ]);
  rows.push(
    { measure: `${long / 1e6} M points before rollups`, value: median(unrolled), unit: 'ms' },
    { measure: 'rolling up', value: rollSeconds, unit: 's', note: `longest transaction ${Math.max(...transactions).toFixed(0)} ms` },
  );
  return {
    bench: 'rollups',
    parameters: { points: long, requests },
    rows,
    samples: { unrolled, ...Object.fromEntries(kinds.map(({ name }, i) => [name, measured[i]])) },
  };
}

async function times(local: LocalStore, request: ChartRequest, points: number, count: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let n = 0; n < count; n++) {
    const read = await chartOnce(local, request);
    if (pointsOf(read.response) !== points) throw new Error(`requested ${points} points, the buckets hold ${pointsOf(read.response)}`);
    milliseconds.push(read.milliseconds);
  }
  return milliseconds;
}

function tagOf(points: number): string {
  return `points-${points}`;
}

/** Loads a run with one series of this many points, in full chunks. */
async function load({ store, tenantId }: LocalStore, experimentId: ExperimentId, points: number): Promise<void> {
  const meta = {
    tag: tagOf(points),
    twin: false,
    dataClass: 'scalar',
    listed: true,
    plugin: 'scalars',
    displayName: '',
    description: '',
  } as const;
  const place = await store.withIngest(tenantId, async (ingest) => {
    const runId = (await store.withTenant(tenantId, (scope) => ensureRun(scope, experimentId, tagOf(points))))!;
    const fileId = (await store.withTenant(tenantId, (scope) => insertFile(scope, { experimentId, runId, name: 'events.1', version: 1 })))!;
    const [seriesId] = await insertSeries(ingest, experimentId, runId, [{ ...meta, pluginContent: Buffer.alloc(0) }], 0);
    return { runId, fileId, seriesId: seriesId! };
  });
  const { fileId, seriesId } = place;
  for (let first = 0; first < points; first += batchPoints) {
    const batch = pointsFrom(first, Math.min(batchPoints, points - first));
    const fresh = { fileId, fileRank: 0, firstOrdinal: first, afterOffset: 0, points: batch, starts: [], laterCut: null };
    const { insert } = updateSeries([], fresh).finish(() => {
      throw new Error('the load joins no chunks');
    });
    await store.withIngest(tenantId, async (ingest) => {
      await copyChunks(
        ingest,
        insert.map((draft) => ({ seriesId, draft })),
      );
      await noteSeriesToRollUp(ingest, [seriesId]);
    });
  }
}

/** A falling curve with noise; wall times are whole microseconds, as writers log them. */
function pointsFrom(first: number, count: number): PointColumns {
  const steps = new BigInt64Array(count);
  const wallTimes = new Float64Array(count);
  const values = new Float64Array(count);
  let state = (first * 2_654_435_761) >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const at = first + i;
    steps[i] = BigInt(at);
    wallTimes[i] = (firstWallTime * 1e6 + at * 1_000 + (state % 97)) / 1e6;
    values[i] = Math.fround(Math.exp(-at / 1e7) * (1 + state / 4_294_967_296 / 10));
  }
  return { steps, wallTimes, values };
}

async function rollUp({ store, tenantId }: LocalStore, experimentId: ExperimentId, points: number, milliseconds: number[]): Promise<void> {
  const runId = (await store.withTenant(tenantId, (scope) => ensureRun(scope, experimentId, tagOf(points))))!;
  for (let left = true; left;) {
    const started = performance.now();
    left = (await rollUpRun(store, { tenantId, experimentId, runId })) === 'more';
    milliseconds.push(performance.now() - started);
  }
}
