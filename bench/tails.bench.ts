import { MemoryBlobStore } from '#blobs/testing';
import { decodeTail, settledPoints } from '#chunks';
import type { ExperimentId } from '#model';
import { rollUpRun } from '../apps/ingest/src/roll-up/roll-up-run.ts';
import { DeletionWorld } from '../apps/ingest/src/testing/deletion-world.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { runName, tagNames } from './lib/generate-logs.ts';
import { Training } from './lib/live.ts';
import { type LocalStore, withLocalStore } from './lib/local-store.ts';
import { firstWallTime } from './lib/log-model.ts';
import type { Report, Row } from './lib/report.ts';
import { median, quantile } from './lib/stats.ts';
import { type ChartRequest, chartOnce, pointsOf } from './lib/store-charts.ts';

/** Range size of a bulk upload. */
const bulkBytes = 8 * 1024 * 1024;

/**
 * Compares a long live run, faster than real time, with a bulk upload of the same logs: what
 * remains in tails, and how fast charts are.
 */
export const tails: Bench = {
  name: 'tails',
  summary: 'two hours of live training of many runs compared with a bulk upload of the same: what stays in tails, and charts of both',
  flags: {
    runs: { default: 100, help: 'concurrent live runs' },
    tags: { default: 20, help: 'tags per run' },
    seconds: { default: 7_200, help: 'seconds of training: a point per second and tag' },
    every: { default: 60, help: 'seconds of training per commit' },
    'last-seconds': {
      default: 1_000,
      help: 'seconds at the end that are committed at the rate of the service; these are still in tails',
    },
    'last-every': { default: 3, help: 'seconds of training per commit at the end' },
    requests: { default: 20, help: 'charts of each kind' },
  },
  run: (context) => withLocalStore((local) => compare(context, local)),
};

async function compare(context: BenchContext, local: LocalStore): Promise<Report> {
  const [runs, tags, seconds] = [context.number('runs'), context.number('tags'), context.number('seconds')];
  const world = new DeletionWorld(local.store, new MemoryBlobStore());
  const live = await local.experiment();
  const bulk = await local.experiment();
  context.say(`training ${runs} runs for ${seconds} s`);
  await train(context, local, world, live);
  context.say('uploading the same in bulk');
  for (let run = 0; run < runs; run++) await uploadWhole(local, world, bulk, run, tags, seconds);

  const [tag] = tagNames(tags);
  const few = Array.from({ length: Math.min(10, runs) }, (_, run) => runName(run));
  const kinds: { readonly name: string; readonly points: number; readonly chartRequest: Omit<ChartRequest, 'experimentId'> }[] = [
    { name: `a tag of all ${runs} runs`, points: runs * seconds, chartRequest: { tag: tag! } },
    { name: 'a tag of one run', points: seconds, chartRequest: { tag: tag!, runs: [runName(0)] } },
    { name: `all tags of ${few.length} runs`, points: few.length * tags * seconds, chartRequest: { tag: null, runs: few } },
  ];
  const rows: Row[] = [];
  const samples: Record<string, unknown> = {};
  for (const { name, points, chartRequest: request } of kinds) {
    const found = { live: [] as number[], bulk: [] as number[] };
    for (let round = 0; round < context.number('requests'); round++) {
      for (const [kind, experimentId] of [
        ['live', live],
        ['bulk', bulk],
      ] as const) {
        const { milliseconds, response } = await chartOnce(local, { experimentId, ...request });
        if (pointsOf(response) !== points) throw new Error(`logged ${points} points, the buckets hold ${pointsOf(response)}`);
        found[kind].push(milliseconds);
      }
    }
    samples[name] = found;
    rows.push(
      { measure: `${name}, live`, value: median(found.live), unit: 'ms', note: `p99 ${quantile(found.live, 0.99).toFixed(1)}` },
      {
        measure: `${name}, after a bulk upload`,
        value: median(found.bulk),
        unit: 'ms',
        note: `p99 ${quantile(found.bulk, 0.99).toFixed(1)}`,
      },
      { measure: `${name}, live / bulk`, value: median(found.live) / median(found.bulk), unit: 'x', atMost: 1.5 },
    );
  }
  const left = await look(local, live);
  rows.push(
    {
      measure: 'runs with a tail',
      value: left.runsWithTail,
      unit: '',
      atMost: runs,
      note: `${left.tailRows} rows, ${left.tailPoints} points, ${left.largestTail} in the largest`,
    },
    {
      measure: 'chunks of a live series that are not full',
      value: left.mostNotFull,
      unit: '',
      atMost: 1,
      note: `at most; ${left.chunks} chunks in all`,
    },
  );
  return { bench: 'tails', parameters: { runs, tags, seconds, every: context.number('every') }, rows, samples };
}

/**
 * Trains all runs round robin, with one commit per run. Does a worker's other work when it is due.
 */
async function train(context: BenchContext, local: LocalStore, world: DeletionWorld, experimentId: ExperimentId): Promise<void> {
  const tenant = { tenantId: local.tenantId, personId: local.tenantId };
  const trainings = [];
  for (let run = 0; run < context.number('runs'); run++) {
    const pieces: Uint8Array[] = [];
    trainings.push({
      training: new Training((bytes) => pieces.push(Uint8Array.from(bytes)), context.number('tags'), run),
      pieces,
      fileId: await world.open(tenant, experimentId, runName(run), 'events.out.tfevents.1'),
      offset: 0,
    });
  }
  const seconds = context.number('seconds');
  const last = seconds - context.number('last-seconds');
  let every = context.number('every');
  for (let second = 0; second < seconds; second += every) {
    if (second >= last) every = context.number('last-every');
    for (const one of trainings) {
      for (let n = second; n < Math.min(second + every, seconds); n++) one.training.step(firstWallTime + n);
      const bytes = Buffer.concat(one.pieces.splice(0));
      await world.append(tenant, experimentId, one.fileId, one.offset, bytes);
      one.offset += bytes.length;
    }
    await world.ingest(tenant);
    if (second % 300 < every) context.say(`${second} s of training`);
  }
  await rollUpAll(local, experimentId);
}

async function uploadWhole(
  local: LocalStore,
  world: DeletionWorld,
  experimentId: ExperimentId,
  run: number,
  tags: number,
  seconds: number,
): Promise<void> {
  const tenant = { tenantId: local.tenantId, personId: local.tenantId };
  const pieces: Uint8Array[] = [];
  const training = new Training((bytes) => pieces.push(Uint8Array.from(bytes)), tags, run);
  for (let n = 0; n < seconds; n++) training.step(firstWallTime + n);
  const bytes = Buffer.concat(pieces);
  const fileId = await world.open(tenant, experimentId, runName(run), 'events.out.tfevents.1');
  for (let offset = 0; offset < bytes.length; offset += bulkBytes)
    await world.append(tenant, experimentId, fileId, offset, bytes.subarray(offset, offset + bulkBytes));
  await world.complete(tenant, fileId, bytes.length);
  await world.ingest(tenant);
  await rollUpAll(local, experimentId);
}

async function rollUpAll({ store, tenantId }: LocalStore, experimentId: ExperimentId): Promise<void> {
  const runIds = await store.withTenant(tenantId, ({ trx }) =>
    trx.selectFrom('run').select('run_id').where('tenant_id', '=', tenantId).where('experiment_id', '=', experimentId).execute(),
  );
  for (const { run_id: runId } of runIds) while ((await rollUpRun(store, { tenantId, experimentId, runId })) === 'more');
}

async function look({ store, tenantId }: LocalStore, experimentId: ExperimentId) {
  return store.withTenant(tenantId, async ({ trx }) => {
    const rows = await trx
      .selectFrom('run_tail as t')
      .innerJoin('run as r', (on) => on.onRef('r.tenant_id', '=', 't.tenant_id').onRef('r.run_id', '=', 't.run_id'))
      .select(['t.run_id', 't.body'])
      .where('t.tenant_id', '=', tenantId)
      .where('r.experiment_id', '=', experimentId)
      .execute();
    const points = new Map<string, number>();
    for (const { run_id: runId, body } of rows) {
      const own = decodeTail(body).reduce((sum, entry) => sum + entry.points.steps.length, 0);
      points.set(runId, (points.get(runId) ?? 0) + own);
    }
    const chunks = await trx
      .selectFrom('scalar_chunk as c')
      .innerJoin('series as s', (on) => on.onRef('s.tenant_id', '=', 'c.tenant_id').onRef('s.series_id', '=', 'c.series_id'))
      .select(['c.series_id', 'c.count'])
      .where('c.tenant_id', '=', tenantId)
      .where('s.experiment_id', '=', experimentId)
      .execute();
    const notFull = new Map<string, number>();
    for (const { series_id: seriesId, count } of chunks) if (count < settledPoints) notFull.set(seriesId, (notFull.get(seriesId) ?? 0) + 1);
    return {
      runsWithTail: points.size,
      tailRows: rows.length,
      tailPoints: [...points.values()].reduce((a, b) => a + b, 0),
      largestTail: Math.max(0, ...points.values()),
      chunks: chunks.length,
      mostNotFull: Math.max(0, ...notFull.values()),
    };
  });
}
