import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { describeWith } from '#testing';
import { readScalars } from './read-scalars.ts';
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

/** Logged at uneven steps, which rarely coincide with y's steps, and resumed with fewer. */
const ySteps = sums(random(60_000, 1).map((number) => 1 + (number % 7)));
const xSteps = sums(random(30_000, 2).map((number) => 1 + (number % 11))).map((step) => step + 40);
const tokens = sums(
  random(30_000, 3).map((number) => number % 4096),
  0.5,
).map((value, i) => (i < 20_000 ? value : value - 1000.25));

/** The last value at or before a step. */
function joined(step: number, until = xSteps.length): number {
  let [low, high] = [0, until];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (xSteps[middle]! <= step) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? Number.NaN : tokens[low - 1]!;
}

describeWith(['postgres'], 'another tag as x', () => {
  let world: SeriesWorld;

  const request = (given: Partial<ScalarRequest>): ScalarRequest => ({
    experimentId: world.experimentId,
    runs: null,
    tags: ['loss'],
    plugin: null,
    unlisted: false,
    from: null,
    to: null,
    sampling: 'minmax',
    points: 400,
    align: 'tag',
    x: 'tokens',
    seed: '0',
    superseded: false,
    pageSize: 10_000,
    pageToken: null,
    view: null,
    ...given,
  });
  const read = async (given: Partial<ScalarRequest>) => (await readScalars(world.store, world.tenantId, request(given), admit)).series;

  const y = pointsOf(ySteps.map((step, i) => [step, step, Math.sin(i)] as const));
  const x = pointsOf(xSteps.map((step, i) => [step, step, tokens[i]!] as const));
  const part = ({ steps, wallTimes, values }: PointColumns, from: number, to?: number): PointColumns => ({
    steps: steps.slice(from, to),
    wallTimes: wallTimes.slice(from, to),
    values: values.slice(from, to),
  });

  beforeAll(async () => {
    world = await SeriesWorld.make();
    const whole = await world.run('whole');
    const file = await world.file(whole, 'events.1');
    await world.storePoints(await world.series(whole, 'loss'), [{ fileId: file, points: y }]);
    const seriesId = await world.series(whole, 'tokens');
    await world.storePoints(seriesId, [{ fileId: file, points: part(x, 0, 29_000) }]);
    await world.storeTail(whole, [{ seriesId, fileId: file, firstOrdinal: 29_000, points: part(x, 29_000) }]); // the run is live
    const other = await world.run('without');
    const otherFile = await world.file(other, 'events.1');
    await world.storePoints(await world.series(other, 'loss'), [{ fileId: otherFile, points: part(y, 0, 100) }]);
    const short = await world.run('short');
    const shortFile = await world.file(short, 'events.1');
    await world.storePoints(await world.series(short, 'loss'), [{ fileId: shortFile, points: part(y, 0, 100) }]);
    await world.storePoints(await world.series(short, 'tokens'), [{ fileId: shortFile, points: part(x, 0, 10) }]);
  });
  afterAll(() => world?.close());

  it('is joined by step, like numpy', () => {
    // numpy 1.26: xv[np.searchsorted(xs, ys, side='right') - 1], NaN before the first
    expect([ySteps.at(-1), xSteps.at(-1)]).toEqual([239_993, 179_674]);
    const all = ySteps.map((step) => joined(step));
    expect(all.filter(Number.isNaN)).toHaveLength(11);
    expect(all.filter((value) => !Number.isNaN(value)).reduce((sum, value) => sum + value, 0)).toBe(1_150_241_262_199.25);
    expect([11, 1000, 30_000, 40_000, 59_999].map((i) => all[i])).toEqual([1472, 677_291, 20_454_477.5, 27_284_556.75, 30_716_011.75]);
  });

  it('is exact at the last point of each bucket, for any number of buckets and range', async () => {
    for (const points of [1, 60, 400, 1200, 20_000])
      for (const [from, to] of [
        [null, null],
        [1000n, 150_000n],
        [170_000n, null],
      ] as const) {
        const [series] = await read({ runs: ['whole'], points, from, to });
        const steps = columnOf(series!, series!.sampling === 'raw' ? 'step' : 'last_step').map(Number);
        expect(steps.length).toBeGreaterThan(0);
        expect([...series!.x!]).toEqual(steps.map((step) => joined(step)));
      }
  });

  it('is unknown for runs without that tag, and ends with it', async () => {
    const [short, whole, without] = await read({ points: 100 });
    expect([short!.run, whole!.run, without!.run]).toEqual(['short', 'whole', 'without']);
    expect(without!.x!.every(Number.isNaN)).toBe(true);
    expect([...short!.x!]).toEqual([...pointsIn(short!).steps].map((step) => joined(Number(step), 10)));
    const [none] = await read({ runs: ['whole'], x: 'no such tag' });
    expect(none!.x!.every(Number.isNaN)).toBe(true);
    expect((await read({ runs: ['whole'], x: null }))[0]!.x).toBeUndefined();
  });

  it('is unknown to visitors who may not see that tag', async () => {
    const view = { runs: null, tags: ['loss'], anonymous: false };
    const [series] = await read({ runs: ['whole'], view });
    expect(series!.x!.every(Number.isNaN)).toBe(true);
    const [seen] = await read({ runs: ['whole'], view: { ...view, tags: ['loss', 'tokens'] } });
    expect(seen!.x!.some(Number.isFinite)).toBe(true);
  });
});
