import { afterAll, beforeAll, expect, it } from 'vitest';
import { concatPoints } from '#chunks';
import { rollUpSeries } from '#store';
import { describeWith } from '#testing';
import { logBuckets } from './log-buckets.ts';
import { readScalars } from './read-scalars.ts';
import { bucketFrom } from './testing/naive-buckets.ts';
import { columnOf } from './testing/check-minmax.ts';
import { pointsOf, SeriesWorld } from './testing/series-world.ts';

it('buckets of a logarithmic axis are equally wide on it, and single steps near 0', () => {
  for (const [from, to, points] of [
    [1n, 1_000_000n, 400],
    [0n, 999n, 60],
    [10n, 2n ** 53n, 1000],
    [-5000n, 100_000n, 300],
    [-700n, -3n, 50],
    [5n, 5n, 10],
    [1n, 2n ** 63n - 1n, 200],
    [-(2n ** 63n), 2n ** 63n - 1n, 7],
  ] as const) {
    const bounds = [...logBuckets(from, to, points).bounds].map(BigInt);
    expect(bounds.length).toBeLessThanOrEqual(points);
    expect(bounds[0]).toBe(from);
    expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => (a < b ? -1 : 1)));
    expect(bounds.at(-1)).toBeLessThanOrEqual(to);
  }
  const bounds = [...(logBuckets(1n, 1_000_000n, 400).bounds as Float64Array)];
  expect(bounds.length).toBe(400);
  expect(bounds.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  const widths = bounds.slice(1).map((bound, i) => bound / bounds[i]!);
  for (const width of widths.slice(100)) expect(width).toBeLessThan(1e6 ** (1 / 300));
  expect([...logBuckets(-8n, 8n, 17).bounds]).toEqual(Array.from({ length: 17 }, (_, i) => i - 8));
});

describeWith(['postgres'], 'reading buckets of a logarithmic axis', () => {
  let world: SeriesWorld;
  beforeAll(async () => {
    world = await SeriesWorld.make();
  });
  afterAll(() => world?.close());

  it('returns each point in one bucket, the first steps alone, from cells, chunks, rollups and the tail', async () => {
    const value = (i: number): number => 1 / (i + 1) + (i === 77_777 ? 50 : 0);
    const rows = (from: number, to: number) =>
      pointsOf(Array.from({ length: to - from }, (_, i) => [from + i, from + i, value(from + i)] as const));
    const runId = await world.run('run');
    const fileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, 'loss');
    await world.storePoints(seriesId, [{ fileId, points: rows(0, 199_500) }]);
    await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: 199_500, points: rows(199_500, 200_000) }]);
    const all = concatPoints([rows(0, 200_000)]);
    const check = async (): Promise<void> => {
      for (const points of [5, 40, 400, 1500])
        for (const [from, to] of [
          [null, null],
          [100n, 150_000n],
        ] as const) {
          const response = await readScalars(
            world.store,
            world.tenantId,
            {
              experimentId: world.experimentId,
              runs: null,
              tags: null,
              plugin: null,
              unlisted: false,
              from,
              to,
              sampling: 'minmax',
              spacing: 'log',
              points,
              align: 'tag',
              seed: '0',
              superseded: false,
              pageSize: 10_000,
              pageToken: null,
              view: null,
            },
            async () => undefined,
          );
          const [series] = response.series;
          const [steps, last, count, max] = ['step', 'last_step', 'count', 'max'].map((name) => columnOf(series!, name).map(Number));
          for (const [i, step] of steps!.entries()) {
            const expected = bucketFrom(all, BigInt(step), BigInt(last![i]!))!;
            expect([count![i], max![i]]).toEqual([expected.count, expected.max]);
            if (i > 0) expect(step).toBe(last![i - 1]! + 1);
          }
          expect(steps![0]).toBe(Number(from ?? 0n));
          expect(last!.at(-1)).toBe(Number(to ?? 199_999n));
          if (points === 400 && from === null) {
            expect(steps!.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, i) => i));
            // On the axis, no bucket is much wider than a 300th of its length
            for (const [i, step] of steps!.entries()) if (step > 100) expect((last![i]! + 1) / step).toBeLessThan(2e5 ** (1 / 250));
          }
        }
    };
    await check();
    await world.store.withIngest(world.tenantId, (ingest) => rollUpSeries(ingest, [seriesId], 64));
    await check();
  });
});
