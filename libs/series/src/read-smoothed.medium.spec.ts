import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { readMinmax } from './read-minmax.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import { readScalars } from './read-scalars.ts';
import { readSmoothed } from './read-smoothed.ts';
import type { SeriesResult } from './scalar-result.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { pointsOf, SeriesWorld } from './testing/series-world.ts';

const admit = async (): Promise<void> => undefined;

/**
 * −log(1 + i) and noise with a period of 1,013: a curve whose averages were computed with numpy.
 */
const valueAt = (i: number): number => -Math.log1p(i) + (((i * 7919) % 1013) / 1013) * 2 - 1;
const curve = (count: number) => pointsOf(Array.from({ length: count }, (_, i) => [i, i, valueAt(i)] as const));

/** TensorBoard's own loop (resmoothScalars in its line charts). */
function tensorBoardSmooth(values: readonly number[], weight: number): number[] {
  let last = 0;
  let count = 0;
  return values.map((value) => {
    if (!Number.isFinite(value)) return value;
    last = last * weight + (1 - weight) * value;
    return last / (1 - weight ** ++count);
  });
}

describeWith(['postgres'], 'moving averages', () => {
  let world: SeriesWorld;
  beforeAll(async () => {
    world = await SeriesWorld.make();
  });
  afterAll(() => world?.close());

  const request = (given: Partial<ScalarRequest>): ScalarRequest => ({
    experimentId: world.experimentId,
    runs: null,
    tags: null,
    plugin: null,
    unlisted: false,
    from: null,
    to: null,
    sampling: 'minmax',
    points: 1000,
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 10_000,
    pageToken: null,
    view: null,
    ...given,
  });
  const read = async (given: Partial<ScalarRequest>) => (await readScalars(world.store, world.tenantId, request(given), admit)).series;

  async function store(run: string, tag: string, points: ReturnType<typeof pointsOf>, tail?: ReturnType<typeof pointsOf>): Promise<void> {
    const runId = await world.run(run);
    const fileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, tag);
    await world.storePoints(seriesId, [{ fileId, points }]);
    if (tail) await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: points.steps.length, points: tail }]);
  }

  /**
   * The steps of the entries, and the averages at these steps and at the first steps of buckets.
   */
  function entriesOf({ content, smoothed }: SeriesResult) {
    const [first, last] =
      'buckets' in content ? [content.buckets.step, content.buckets.lastStep] : [content.points.steps, content.points.steps];
    return { first: Array.from(first, Number), last: Array.from(last, Number), smoothed: smoothed! };
  }

  function check(response: SeriesResult, expected: readonly number[], digits = 11): void {
    const { first, last, smoothed } = entriesOf(response);
    expect(last.length).toBeGreaterThan(0);
    const near = (found: number, wanted: number): void =>
      Number.isFinite(wanted) ? expect(found).toBeCloseTo(wanted, digits) : expect(found).toBe(wanted);
    for (const [i, step] of last.entries()) near(smoothed.last[i]!, expected[step]!);
    for (const [i, step] of first.entries()) near(smoothed.first[i]!, expected[step]!);
  }

  it('equal those of all points, for any width, zoom and companion series', async () => {
    await store('exp1', 'long', curve(100_000));
    await store('exp2', 'long', curve(10_000));
    await store('alone', 'short', curve(10_000));
    // numpy 2: float64, the loop above
    const numpy = { 0.6: -9.112357625292306, 0.96: -9.23270473789364, 0.996: -9.185944928208107, 0.999: -9.098210815857211 };
    const ends = { 0.6: -11.239822967023814, 0.96: -11.455423024654236, 0.996: -11.502785542767, 0.999: -11.501651342168595 };
    const values = Array.from({ length: 100_000 }, (_, i) => valueAt(i));
    for (const weight of [0.6, 0.96, 0.996, 0.999] as const) {
      const expected = tensorBoardSmooth(values, weight);
      expect(expected[9999]).toBeCloseTo(numpy[weight], 12);
      expect(expected[99_999]).toBeCloseTo(ends[weight], 12);
      for (const points of [60, 200, 400, 1200, 20_000]) {
        const series = [
          ...(await read({ tags: ['long'], smoothing: weight, points })),
          ...(await read({ tags: ['short'], smoothing: weight, points })),
        ];
        for (const one of series) check(one, expected);
        for (const one of series.slice(1)) expect(one.smoothed!.last.at(-1)).toBeCloseTo(numpy[weight], 11);
      }
      for (const [from, to] of [
        [9_000n, 9_999n],
        [1n, 9_999n],
        [50_001n, null],
        [9_999n, 9_999n],
      ] as const)
        for (const one of await read({ tags: ['long'], runs: ['exp1'], smoothing: weight, points: 300, from, to })) check(one, expected);
    }
  });

  it('continue in the tail, skip values that are not finite and keep a constant', async () => {
    const value = (i: number): number => (i % 97 === 5 ? Number.NaN : i % 211 === 9 ? Infinity : Math.sin(i / 300));
    const rows = (from: number, to: number) =>
      pointsOf(Array.from({ length: to - from }, (_, i) => [3 * (from + i), i, value(from + i)] as const));
    await store('gaps', 'gaps', rows(0, 9_000), rows(9_000, 9_700));
    const smoothed = tensorBoardSmooth(
      Array.from({ length: 9_700 }, (_, i) => value(i)),
      0.9,
    );
    const expected: number[] = [];
    smoothed.forEach((one, i) => (expected[3 * i] = one));
    for (const [from, points] of [
      [null, 100],
      [null, 20_000],
      [26_400n, 100],
      [28_000n, 5_000],
    ] as const)
      check((await read({ tags: ['gaps'], smoothing: 0.9, points, from }))[0]!, expected);
    await store('constant', 'constant', pointsOf(Array.from({ length: 9_000 }, (_, i) => [i, i, 0.1] as const)));
    const [constant] = await read({ tags: ['constant'], smoothing: 0.97, points: 50 });
    expect(new Set([...constant!.smoothed!.last, ...constant!.smoothed!.first])).toEqual(new Set([0.1]));
  });

  it('read only what affects them in long buckets, and are absent if they would cost too much', async () => {
    await store('very long', 'very long', curve(120_000));
    const expected = tensorBoardSmooth(
      Array.from({ length: 120_000 }, (_, i) => valueAt(i)),
      0.6,
    );
    const given = { tags: ['very long'], points: 6, smoothing: 0.6 };
    const [bounded, rejected] = await world.store.withSnapshot(world.tenantId, async (snapshot) => {
      const { list, tails } = await findScalarSeries(snapshot, request(given));
      const plain = await readMinmax(snapshot, request(given), list, tails);
      const smoothedBy = (max: number) => readSmoothed(snapshot, { from: null, smoothing: 0.6 }, list, tails, plain, max);
      return [(await smoothedBy(60_000))[0]!, (await smoothedBy(40_000))[0]!];
    });
    check(bounded, expected);
    expect(rejected.smoothed).toBeUndefined();
  });

  const bounds = (response: SeriesResult): [number, number][] => {
    const { first, last } = entriesOf(response);
    return first.map((step, i) => [step, last[i]!]);
  };

  it('use the same buckets for the same data, written at once or in pieces, alone or with others', async () => {
    const all = curve(100_000);
    const piece = (from: number, to: number) => ({
      steps: all.steps.slice(from, to),
      wallTimes: all.wallTimes.slice(from, to),
      values: all.values.slice(from, to),
    });
    await store('at once', 'equal', all);
    const runId = await world.run('in pieces');
    const fileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, 'equal');
    const cuts = [0, 777, 5000, 9000, 9001, 33_333, 50_000, 99_100];
    await world.storePoints(
      seriesId,
      cuts.slice(1).map((to, i) => ({ fileId, points: piece(cuts[i]!, to) })),
    );
    await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: 99_100, points: piece(99_100, 100_000) }]);
    await store('shorter', 'equal', curve(30_000));
    for (const points of [60, 200, 400, 1000, 1500]) {
      for (const smoothing of [0, 0.6]) {
        const given = { tags: ['equal'], points, smoothing };
        const [atOnce, inPieces, shorter] = await read(given);
        const [alone] = await read({ ...given, runs: ['at once'] });
        const [piecesAlone] = await read({ ...given, runs: ['in pieces'] });
        const { run: _, ...expected } = atOnce!;
        for (const other of [alone!, inPieces!, piecesAlone!]) {
          const { run: __, ...found } = other;
          expect(found).toEqual(expected);
        }
        const cut = bounds(shorter!);
        expect(cut.slice(0, -1)).toEqual(bounds(atOnce!).slice(0, cut.length - 1));
      }
    }
  });

  it('use buckets of the same steps in all runs of a tag', async () => {
    for (const points of [100, 400, 1000, 1500]) {
      const [long, short] = (await read({ tags: ['long'], points })).map(bounds);
      expect(long!.length).toBeLessThanOrEqual(points);
      expect(long!.length).toBeGreaterThan(points / 2);
      expect(short!.slice(0, -1)).toEqual(long!.slice(0, short!.length - 1));
    }
    const [long, short] = (await read({ tags: ['long'], points: 50, from: 3_333n })).map(bounds);
    expect(short!.slice(0, -1)).toEqual(long!.slice(0, short!.length - 1));
  });
});
