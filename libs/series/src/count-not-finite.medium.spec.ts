import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SeriesId } from '#model';
import { rollUpSeries } from '#store';
import { describeWith } from '#testing';
import { countNotFinite } from './count-not-finite.ts';
import { readMinmax } from './read-minmax.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import { readScalars } from './read-scalars.ts';
import { scalarsArrow } from './scalar-arrow.ts';
import { scalarsCsv } from './scalar-csv.ts';
import { scalarsJson } from './scalar-json.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { checkMinmax } from './testing/check-minmax.ts';
import { pointsOf, SeriesWorld } from './testing/series-world.ts';

const admit = async (): Promise<void> => undefined;

/**
 * One NaN in the middle of a chunk, a range of NaNs over several chunks, an infinity of each sign,
 * and both in one bucket.
 */
const odd = new Map<number, number>([
  [12_345, Number.NaN],
  [50_001, Infinity],
  [50_003, -Infinity],
  [70_000, -Infinity],
  ...Array.from({ length: 9000 }, (_, i): [number, number] => [80_000 + i, Number.NaN]),
]);
const valueAt = (step: number): number => odd.get(step) ?? Math.sin(step / 1000);
const rows = (from: number, to: number) =>
  pointsOf(Array.from({ length: to - from }, (_, i) => [from + i, from + i, valueAt(from + i)] as const));

describeWith(['postgres'], 'counts of values that are not finite', () => {
  let world: SeriesWorld;
  let seriesId: SeriesId;
  beforeAll(async () => {
    world = await SeriesWorld.make();
    const runId = await world.run('run');
    const fileId = await world.file(runId, 'events.1');
    seriesId = await world.series(runId, 'loss');
    await world.storePoints(seriesId, [{ fileId, points: rows(0, 99_000) }]);
    odd.set(99_500, Number.NaN);
    odd.set(99_501, Infinity);
    await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: 99_000, points: rows(99_000, 100_000) }]);
    await world.storePoints(await world.series(runId, 'finite'), [
      { fileId, points: pointsOf([...Array(50).keys()].map((i) => [i, i, i])) },
    ]);
  });
  afterAll(() => world?.close());

  const request = (given: Partial<ScalarRequest>): ScalarRequest => ({
    experimentId: world.experimentId,
    runs: null,
    tags: ['loss'],
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
  const read = (given: Partial<ScalarRequest>) => readScalars(world.store, world.tenantId, request(given), admit);

  it('are in every bucket, at every width and zoom, from cells, chunks and rollups', async () => {
    const all = rows(0, 100_000);
    const check = async (): Promise<void> => {
      for (const points of [1, 3, 24, 60, 200, 1000, 20_000]) {
        for (const [from, to] of [
          [null, null],
          [12_000n, 12_999n],
          [50_002n, 99_500n],
          [12_346n, 49_000n],
        ] as const) {
          const [series] = (await read({ points, from, to })).series;
          checkMinmax(series!, all, points, { from: from ?? 0n, to: to ?? 99_999n });
          if (series!.sampling === 'raw') continue;
          const sum = (column: Float64Array | undefined): number => column?.reduce((a, b) => a + b, 0) ?? 0;
          const inside = [...odd].filter(([step]) => step >= (from ?? 0) && step <= (to ?? 99_999)).map(([, value]) => value);
          expect(sum(series!.notFinite?.nan)).toBe(inside.filter(Number.isNaN).length);
          expect(sum(series!.notFinite?.positive)).toBe(inside.filter((value) => value === Infinity).length);
          expect(sum(series!.notFinite?.negative)).toBe(inside.filter((value) => value === -Infinity).length);
        }
      }
    };
    await check();
    await world.store.withIngest(world.tenantId, (ingest) => rollUpSeries(ingest, [seriesId], 64));
    await check();
  });

  it('are the same in JSON, CSV and Arrow, and in JSON only if there are any', async () => {
    const response = await read({ points: 10, tags: ['loss', 'finite'] });
    const json = JSON.parse(Buffer.concat(await scalarsJson(response, null)).toString()) as {
      series: { tag: string; columns: Record<string, number[]> }[];
    };
    const [finite, loss] = json.series.map(({ columns }) => columns);
    expect(finite).not.toHaveProperty('nan_count');
    const counted = (isOne: (value: number) => boolean): number[] =>
      loss!['step']!.map(
        (from, i) => [...odd].filter(([step, value]) => step >= from && step <= loss!['last_step']![i]! && isOne(value)).length,
      );
    expect(loss!['nan_count']).toEqual(counted(Number.isNaN));
    expect(loss!['inf_count']).toEqual(counted((value) => value === Infinity));
    expect(loss!['neg_inf_count']).toEqual(counted((value) => value === -Infinity));
    expect(loss!['nan_count']!.reduce((sum, count) => sum + count, 0)).toBe(9002);
    const csv = Buffer.concat(await scalarsCsv(response, ['step', 'nan_count', 'inf_count', 'neg_inf_count']))
      .toString()
      .split('\r\n');
    expect(csv[0]).toBe('run,tag,step,nan_count,inf_count,neg_inf_count');
    const table = tableFromIPC(Buffer.concat(await scalarsArrow(response, null)));
    for (const name of ['nan_count', 'inf_count', 'neg_inf_count']) {
      const column = csv[0]!.split(',').indexOf(name);
      const ofLoss = csv.filter((line) => line.startsWith('run,loss,')).map((line) => Number(line.split(',')[column]));
      expect(ofLoss).toEqual(loss![name]);
      expect(Array.from(table.getChild(name)!.toArray() as BigInt64Array, Number).slice(-loss!['step']!.length)).toEqual(loss![name]);
    }
  });

  it('are left out if they would cost too much, and kept if summaries suffice', async () => {
    const [bounded, none, summed] = await world.store.withSnapshot(world.tenantId, async (snapshot) => {
      const given = request({ points: 10 });
      const zoom = request({ points: 3, from: 8192n, to: 40_000n });
      const { list, tails } = await findScalarSeries(snapshot, given);
      const plain = await readMinmax(snapshot, given, list, tails);
      return [
        (await countNotFinite(snapshot, list, tails, plain))[0]!,
        (await countNotFinite(snapshot, list, tails, plain, 1000))[0]!,
        (await countNotFinite(snapshot, [list[0]!], tails, [(await readMinmax(snapshot, zoom, [list[0]!], tails))[0]!], 0))[0]!,
      ];
    });
    expect(bounded.notFinite).toBeDefined();
    expect(none.notFinite).toBeUndefined();
    expect(summed.notFinite?.nan.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
