import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PointColumns, Problem } from '#model';
import { describeWith } from '#testing';
import { readFormula } from './read-formula.ts';
import { readScalars } from './read-scalars.ts';
import type { SeriesResult } from './scalar-result.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { columnOf, pointsIn } from './testing/check-minmax.ts';
import { pointsOf, SeriesWorld } from './testing/series-world.ts';

const admit = async (): Promise<void> => undefined;

/** Pseudorandom numbers below 2^31 that numpy can generate too. */
function random(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff));
}

function sums(numbers: readonly number[], scale = 1): number[] {
  let sum = 0;
  return numbers.map((number) => (sum += number) * scale);
}

const ySteps = sums(random(60_000, 1).map((number) => 1 + (number % 7)));
const xSteps = sums(random(30_000, 2).map((number) => 1 + (number % 11))).map((step) => step + 40);
const tokens = sums(
  random(30_000, 3).map((number) => number % 4096),
  0.5,
).map((value, i) => (i < 20_000 ? value : value - 1000.25));
const xAt = new Map(xSteps.map((step, i) => [step, tokens[i]!]));
const shared = ySteps.flatMap((step, i) => (xAt.has(step) ? [{ step, loss: i * 0.5, tokens: xAt.get(step)! }] : []));

describeWith(['postgres'], 'a formula over tags', () => {
  let world: SeriesWorld;

  const request = (given: Partial<ScalarRequest> & { readonly formula: string }) => ({
    experimentId: world.experimentId,
    runs: null,
    tags: null,
    plugin: null,
    unlisted: false,
    from: null,
    to: null,
    sampling: 'minmax' as const,
    points: 400,
    align: 'tag' as const,
    seed: '0',
    superseded: false,
    pageSize: 10_000,
    pageToken: null,
    view: null,
    ...given,
  });
  const read = async (given: Parameters<typeof request>[0]) =>
    (await readScalars(world.store, world.tenantId, request(given), admit)).series;
  const limited = (given: Parameters<typeof request>[0], max: number) =>
    world.store.withSnapshot(world.tenantId, (snapshot) => readFormula(snapshot, request(given), { max }));

  const y = pointsOf(ySteps.map((step, i) => [step, step / 2, i * 0.5] as const));
  const x = pointsOf(xSteps.map((step, i) => [step, step, tokens[i]!] as const));
  const part = ({ steps, wallTimes, values }: PointColumns, from: number, to?: number): PointColumns => ({
    steps: steps.slice(from, to),
    wallTimes: wallTimes.slice(from, to),
    values: values.slice(from, to),
  });

  beforeAll(async () => {
    world = await SeriesWorld.make();
    const long = await world.run('long');
    const file = await world.file(long, 'events.1');
    await world.storePoints(await world.series(long, 'loss'), [{ fileId: file, points: y }]);
    const seriesId = await world.series(long, 'a "tag"');
    await world.storePoints(seriesId, [{ fileId: file, points: part(x, 0, 29_000) }]);
    await world.storeTail(long, [{ seriesId, fileId: file, firstOrdinal: 29_000, points: part(x, 29_000) }]); // the run is live
    const half = await world.run('half');
    await world.storePoints(await world.series(half, 'loss'), [{ fileId: await world.file(half, 'events.1'), points: part(y, 0, 100) }]);
    const apart = await world.run('odd');
    const oddFile = await world.file(apart, 'events.1');
    const odd = [1, 3, 5].map((step) => [step, step, -step] as const);
    await world.storePoints(await world.series(apart, 'loss'), [{ fileId: oddFile, points: pointsOf(odd) }]);
    await world.storePoints(await world.series(apart, 'a "tag"'), [
      {
        fileId: oddFile,
        points: pointsOf([
          [2, 2, 1],
          [3, 3, -9],
          [6, 6, 1],
        ]),
      },
    ]);
  });
  afterAll(() => world?.close());

  const difference = 'loss - "a \\"tag\\"" / 2';
  /** Checks that every entry holds exactly the numbers of the joined points in its range. */
  function check(response: SeriesResult, valueOf: (point: (typeof shared)[number]) => number): void {
    expect(response.sampling).toBe('minmax');
    const [step, last, count] = ['step', 'last_step', 'count'].map((name) => columnOf(response, name).map(Number));
    step!.forEach((from, i) => {
      const own = shared.filter((point) => point.step >= from && point.step <= last![i]!);
      const values = own.map(valueOf);
      expect([own.length, from, last![i]]).toEqual([count![i], own[0]!.step, own.at(-1)!.step]);
      const numbers = ['first', 'last', 'min', 'max', 'wall_time'].map((name) => columnOf(response, name)[i]);
      expect(numbers).toEqual([values[0], values.at(-1), Math.min(...values), Math.max(...values), own[0]!.step / 2]);
    });
  }

  it('has a point where all tags have one, like numpy', async () => {
    // numpy 1.26: np.intersect1d(ys, xs, return_indices=True)
    expect(shared).toHaveLength(7433);
    const values = shared.map((point) => point.loss - point.tokens / 2);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(-57_111_804_903.375, 3);
    const [long, odd] = await read({ formula: difference, points: 100_000 });
    expect([long!.run, odd!.run, long!.tag, long!.exact, long!.sampling]).toEqual(['long', 'odd', difference, true, 'raw']);
    expect([...pointsIn(long!).steps].map(Number)).toEqual(shared.map(({ step }) => step));
    expect([...pointsIn(long!).values]).toEqual(values);
    expect([...pointsIn(odd!).steps, ...pointsIn(odd!).values]).toEqual([3n, 1.5]);
    const [log] = await read({ formula: 'log10("a \\"tag\\"") * max(loss, 100)', points: 100_000, runs: ['long'] });
    expect(pointsIn(log!).values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(610_631_212.631_299_5, 2);
  });

  it('is exact in buckets, for any number of them and any range', async () => {
    for (const points of [1, 60, 400, 1200])
      for (const [from, to] of [
        [null, null],
        [1000n, 150_000n],
      ] as const) {
        const [long] = await read({ formula: difference, runs: ['long'], points, from, to });
        check(long!, (point) => point.loss - point.tokens / 2);
        const inside = shared.filter(({ step }) => step >= (from ?? 0n) && step <= (to ?? 1_000_000n));
        expect(long!.sourcePoints).toBe(inside.length);
      }
  });

  it('counts values that are not finite, and averages from its first point', async () => {
    const [log] = await read({ formula: 'log(loss - 15000) / (loss - loss)', runs: ['long'], points: 200 });
    const counts = ['nan_count', 'inf_count', 'neg_inf_count'].map((name) =>
      columnOf(log!, name).reduce<number>((sum, one) => sum + Number(one), 0),
    );
    const all = ySteps.map((_, i) => Math.log(i * 0.5 - 15_000) / 0);
    expect(counts).toEqual([
      all.filter(Number.isNaN).length,
      all.filter((one) => one === Infinity).length,
      all.filter((one) => one === -Infinity).length,
    ]);
    const smoothing = 0.9;
    const [whole] = await read({ formula: 'loss * 1', runs: ['long'], points: 60, smoothing, from: 100_000n });
    const plain = (
      await readScalars(
        world.store,
        world.tenantId,
        { ...request({ formula: '' }), formula: null, tags: ['loss'], runs: ['long'], points: 60, smoothing, from: 100_000n },
        admit,
      )
    ).series[0]!;
    const at = new Map(columnOf(plain, 'last_step').map((step, i) => [Number(step), plain.smoothed!.last[i]!]));
    const both = columnOf(whole!, 'last_step').flatMap((step, i) =>
      at.has(Number(step)) ? [[whole!.smoothed!.last[i]!, at.get(Number(step))!]] : [],
    );
    expect(both.length).toBeGreaterThan(0);
    for (const [own, expected] of both) expect(own).toBeCloseTo(expected!, 6);
  });

  it('is computed from buckets if there are too many points, and reports that', async () => {
    const [long, odd] = await limited({ formula: difference }, 1_000);
    expect([long!.exact, odd!.exact]).toEqual([false, true]);
    const lossAt = new Map(ySteps.map((step, i) => [step, i * 0.5]));
    for (const [i, step] of columnOf(long!, 'last_step').entries()) {
      // The tokens are from about the same step
      const value = columnOf(long!, 'last')[i] as number;
      const near = (lossAt.get(Number(step))! - value) * 2;
      const known = tokens[xSteps.findLastIndex((one) => one <= Number(step))] ?? 0;
      expect(Math.abs(near - known)).toBeLessThan(31_000_000 / 60);
    }
    const [zoomed] = await limited({ formula: difference, runs: ['long'], from: 50_000n, to: 55_000n }, 20_000);
    expect(zoomed!.exact).toBe(true);
    expect([...pointsIn(zoomed!).steps].length).toBe(shared.filter(({ step }) => step >= 50_000 && step <= 55_000).length);
  });

  it('shows visitors nothing of hidden tags', async () => {
    const view = { runs: null, tags: ['loss'], anonymous: false };
    expect(await read({ formula: difference, view })).toEqual([]);
    expect(await read({ formula: 'loss + 1', view })).toHaveLength(3);
    await expect(read({ formula: 'loss +' })).rejects.toThrow(Problem);
  });
});
