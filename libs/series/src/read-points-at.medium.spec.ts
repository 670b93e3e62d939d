import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PointColumns, RunId, View } from '#model';
import { describeWith, seededRandom } from '#testing';
import { PointCache } from './point-cache.ts';
import { type PointAsked, readPointsAt } from './read-points-at.ts';
import { RunPointsCache } from './run-points-cache.ts';
import { maxStep, minStep } from './steps.ts';
import { effectiveOf, pointsOf, SeriesWorld } from './testing/index.ts';

const random = seededRandom(5);
type Row = readonly [step: bigint | number, wallTime: number, value: number];

/** Points of each writer, in log order; points after `tail` are not in chunks yet. */
interface Logged {
  readonly writers: readonly (readonly Row[])[];
  readonly tail?: readonly Row[];
}

const far = 2n ** 60n + 1n;
const logged: Readonly<Record<string, Logged>> = {
  chunks: { writers: [Array.from({ length: 9_000 }, (_, i) => [i * 3, i, Math.fround(random())])] },
  // Steps 20 to 39 are replaced
  restarted: { writers: [Array.from({ length: 60 }, (_, i) => [i < 40 ? i : i - 20, i, (i * 7) % 31])] },
  live: {
    writers: [Array.from({ length: 50 }, (_, i) => [i * 2, i, 50 - i])],
    tail: [
      [100, 60, 4],
      [103, 61, Number.NaN],
      [110, 62, 0.5],
    ],
  },
  // If both have the same step, the one logged last counts
  writers: {
    writers: [
      [
        [0, 1, 9],
        [10, 5, 8],
        [30, 9, 1],
      ],
      [
        [0, 2, 7],
        [10, 4, 6],
        [20, 8, 1],
      ],
    ],
  },
  odd: {
    writers: [
      [
        [minStep, 1, Number.NaN],
        [-5, 2, Infinity],
        [far, 3, -Infinity],
        [maxStep, 4, Number.NaN],
      ],
    ],
  },
  nothing: { writers: [[[4, 1, Number.NaN]]] },
};

/** The effective points of a run, with ties among steps in the order of their times. */
function pointsOfRun({ writers, tail = [] }: Logged): { step: bigint; value: number; wallTime: number }[] {
  const rows = (points: PointColumns) =>
    [...points.steps].map((step, i) => ({ step, value: points.values[i]!, wallTime: points.wallTimes[i]! }));
  return [...writers.flatMap((own) => rows(effectiveOf(pointsOf(own)))), ...rows(pointsOf(tail))].toSorted(
    (a, b) => a.wallTime - b.wallTime,
  );
}

function expectedAt(run: string, step: bigint) {
  const before = pointsOfRun(logged[run]!).filter((point) => point.step <= step);
  return before.length === 0 ? undefined : before.reduce((best, one) => (one.step >= best.step ? one : best));
}

function extremeStep(run: string, sign: 1 | -1): bigint | undefined {
  const numbers = pointsOfRun(logged[run]!).filter(({ value }) => !Number.isNaN(value));
  const best = Math.min(...numbers.map(({ value }) => value * sign));
  const steps = numbers.filter(({ value }) => value * sign === best).map(({ step }) => step);
  return steps.length === 0 ? undefined : steps.reduce((a, b) => (a < b ? a : b));
}

describeWith(['postgres'], 'the point of each run at a step', () => {
  let world: SeriesWorld;
  const ids = new Map<string, RunId>();

  beforeAll(async () => {
    world = await SeriesWorld.make();
    for (const [run, { writers, tail }] of Object.entries(logged)) {
      const runId = await world.run(run);
      ids.set(run, runId);
      for (const [writer, rows] of writers.entries()) {
        const fileId = await world.file(runId, `events.${writer}`);
        const seriesId = await world.series(runId, 'loss', { writer });
        await world.storePoints(seriesId, [{ fileId, points: pointsOf(rows) }]);
        if (tail) await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: rows.length, points: pointsOf(tail) }]);
      }
      const file = await world.file(runId, 'events.acc');
      const every = Array.from({ length: 40 }, (_, i): Row => [i * 5, i, i / 8]);
      await world.storePoints(await world.series(runId, 'acc'), [{ fileId: file, points: pointsOf(every) }]);
    }
  });
  afterAll(() => world?.close());

  const read = async (asked: readonly PointAsked[], view: View | null = null, runs: readonly string[] | null = null) => {
    const runIds = runs && runs.map((run) => ids.get(run)!);
    const found = await world.store.withSnapshot(world.tenantId, (snapshot) =>
      readPointsAt(snapshot, { experimentId: world.experimentId, runIds, view }, asked),
    );
    return found.map((points) =>
      Object.fromEntries(
        [...ids].flatMap(([run, id]) => (points.has(id) ? [[run, { step: points.get(id)!.step, value: points.get(id)!.value }]] : [])),
      ),
    );
  };
  const known = (entries: readonly (readonly [string, { step: bigint; value: number } | undefined])[]) =>
    Object.fromEntries(entries.flatMap(([run, point]) => (point ? [[run, { step: point.step, value: point.value }]] : [])));

  it('is the one at the step, otherwise the last one before it', async () => {
    const steps = [minStep, -6n, -5n, 0n, 9n, 10n, 25n, 39n, 59n, 98n, 101n, 103n, 111n, 12_286n, 12_287n, 26_997n, far - 1n, far, maxStep];
    const found = await read(steps.map((at) => ({ tag: 'loss', at })));
    for (const [i, step] of steps.entries())
      expect(found[i], `step ${step}`).toEqual(known([...ids.keys()].map((run) => [run, expectedAt(run, step)])));
  });

  it('is found for thousands of steps of thousands of points', async () => {
    const steps = Array.from({ length: 700 }, (_, i) => BigInt(i * 40 + 1));
    const found = await read(steps.map((at) => ({ tag: 'loss', at })));
    for (const [i, step] of steps.entries())
      expect(found[i]!['chunks'], `step ${step}`).toEqual(known([['', expectedAt('chunks', step)]])['']);
    expect(found.map((one) => one['restarted'])).toEqual(steps.map((step) => known([['', expectedAt('restarted', step)]])['']));
  });

  it('is at the step of the smallest or largest value of a tag', async () => {
    const [min, max, other] = await read([
      { tag: 'loss', at: { extreme: 'min', tag: 'loss' } },
      { tag: 'loss', at: { extreme: 'max', tag: 'loss' } },
      { tag: 'acc', at: { extreme: 'min', tag: 'loss' } },
    ]);
    const at = (run: string, step: bigint | undefined) => (step === undefined ? undefined : expectedAt(run, step));
    expect(min).toEqual(known([...ids.keys()].map((run) => [run, at(run, extremeStep(run, 1))])));
    expect(max).toEqual(known([...ids.keys()].map((run) => [run, at(run, extremeStep(run, -1))])));
    expect(min!['live']).toEqual({ step: 110n, value: 0.5 });
    expect(min!['writers']).toEqual({ step: 20n, value: 1 });
    const accuracies = [...ids.keys()].map((run) => {
      const step = extremeStep(run, 1);
      if (step === undefined || step < 0n) return [run, undefined] as const;
      const index = step >= 195n ? 39 : Number(step / 5n);
      return [run, { step: BigInt(index * 5), value: index / 8 }] as const;
    });
    expect(other).toEqual(known(accuracies));
  });

  it('comes from the cache while nothing changes, and is read again after a deletion', async () => {
    const cache = new PointCache(100);
    const caches = { points: cache, runs: new RunPointsCache(100) };
    const at = (step: bigint) =>
      world.store.withSnapshot(world.tenantId, (snapshot) =>
        readPointsAt(
          snapshot,
          { experimentId: world.experimentId, runIds: [ids.get('chunks')!], view: null },
          [{ tag: 'loss', at: step }],
          caches,
        ),
      );
    const [first] = await at(30n);
    expect(first!.get(ids.get('chunks')!)!.value).toBe(expectedAt('chunks', 30n)!.value);
    const kept = vi.spyOn(cache, 'put');
    expect(await at(30n)).toEqual([first]);
    expect(kept).not.toHaveBeenCalled();
    await at(33n);
    expect(kept).toHaveBeenCalledTimes(1);
    await world.admin.query(
      `insert into deletion (tenant_id, deletion_id, kind, experiment_id, points) values ($1, gen_random_uuid(), 'points', $2, 1)`,
      [world.tenantId, world.experimentId],
    );
    await at(30n);
    expect(kept).toHaveBeenCalledTimes(2);
    kept.mockRestore();
  });

  it('comes from the cache of all runs while nothing changes, for each view and for some runs', async () => {
    const caches = { points: new PointCache(100), runs: new RunPointsCache(1_000) };
    const views: readonly (View | null)[] = [
      null,
      { runs: ['chunks', 'odd'], tags: null, anonymous: false },
      { runs: null, tags: ['acc'], anonymous: false },
    ];
    const asked: PointAsked[] = [
      { tag: 'loss', at: 30n },
      { tag: 'acc', at: 30n },
      { tag: 'acc', at: { extreme: 'min', tag: 'loss' } },
    ];
    const readAll = (view: View | null, some: readonly PointAsked[] = asked, runIds: readonly RunId[] | null = null) =>
      world.store.withSnapshot(world.tenantId, (snapshot) =>
        readPointsAt(snapshot, { experimentId: world.experimentId, runIds, view }, some, caches),
      );
    const uncached = async (view: View | null) =>
      world.store.withSnapshot(world.tenantId, (snapshot) =>
        readPointsAt(snapshot, { experimentId: world.experimentId, runIds: null, view }, asked),
      );
    const kept = vi.spyOn(caches.runs, 'put');
    for (const view of views) expect(await readAll(view)).toEqual(await uncached(view));
    expect(kept).toHaveBeenCalledTimes(views.length * asked.length);
    for (const view of views) expect(await readAll(view, asked.toReversed())).toEqual((await uncached(view)).toReversed());
    const two = [ids.get('chunks')!, ids.get('live')!];
    expect((await readAll(null, asked, two)).map((points) => [...points.keys()])).toEqual([two, two, two]);
    expect(kept).toHaveBeenCalledTimes(views.length * asked.length);
    // Only the new point is read
    const [, other] = await readAll(null, [asked[0]!, { tag: 'loss', at: 33n }]);
    expect(other!.get(ids.get('chunks')!)!.value).toBe(expectedAt('chunks', 33n)!.value);
    expect(kept).toHaveBeenCalledTimes(views.length * asked.length + 1);
    await world.admin.query(
      `insert into deletion (tenant_id, deletion_id, kind, experiment_id, points) values ($1, gen_random_uuid(), 'points', $2, 1)`,
      [world.tenantId, world.experimentId],
    );
    await readAll(null, [asked[0]!]);
    expect(kept).toHaveBeenCalledTimes(views.length * asked.length + 2);
  });

  it('is that of the wanted runs, and of names that the caller may see', async () => {
    const asked: PointAsked[] = [
      { tag: 'acc', at: 12n },
      { tag: 'acc', at: { extreme: 'min', tag: 'loss' } },
      { tag: 'no such tag', at: 12n },
    ];
    expect((await read(asked, null, ['live'])).map((one) => Object.keys(one))).toEqual([['live'], ['live'], []]);
    const view = { runs: ['chunks', 'odd'], tags: ['acc'], anonymous: false };
    expect((await read(asked, view)).map((one) => Object.keys(one))).toEqual([['chunks', 'odd'], [], []]);
    expect(await read(asked, null, [])).toEqual([{}, {}, {}]);
  });
});
