import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { concatPoints } from '#chunks';
import { emptyPoints, type PointColumns, type SeriesId } from '#model';
import { rollUpSeries, shortenRollups } from '#store';
import { describeWith } from '#testing';
import { readScalars } from './read-scalars.ts';
import { checkMinmax } from './testing/check-minmax.ts';
import { effectiveOf, pointsOf, SeriesWorld } from './testing/series-world.ts';

const lowest = -(2n ** 63n);
const highest = 2n ** 63n - 1n;

describeWith(['postgres'], 'reading rolled-up series', () => {
  let world: SeriesWorld;
  let made = 0;
  beforeAll(async () => {
    world = await SeriesWorld.make();
  });
  afterAll(() => world?.close());

  const chart = (tag: string, points: number, range: { from: bigint; to: bigint } | null) =>
    readScalars(
      world.store,
      world.tenantId,
      {
        experimentId: world.experimentId,
        runs: null,
        tags: [tag],
        plugin: null,
        unlisted: false,
        from: range?.from ?? null,
        to: range?.to ?? null,
        sampling: 'minmax',
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

  /**
   * Creates a run with one series and returns the series' id; each part is a separate chunk, as
   * with consecutive files.
   */
  async function store(parts: readonly PointColumns[], tag: string): Promise<SeriesId> {
    const runId = await world.run(`run${String(made++).padStart(6, '0')}`);
    const seriesId = await world.series(runId, tag);
    const batches = [];
    for (const [i, points] of parts.entries())
      batches.push({ fileId: await world.file(runId, `events.${String(i).padStart(4, '0')}`), points });
    await world.storePoints(seriesId, batches);
    return seriesId;
  }

  const rollUp = (seriesId: SeriesId, rows: number) =>
    world.store.withIngest(world.tenantId, async (ingest) => (await rollUpSeries(ingest, [seriesId], rows)).get(seriesId) ?? 0);

  const value = fc.oneof(
    { weight: 6, arbitrary: fc.float({ noNaN: true }).map(Math.fround) },
    { weight: 1, arbitrary: fc.double() },
    { weight: 2, arbitrary: fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 0) },
  );
  const gap = fc.oneof(
    { weight: 30, arbitrary: fc.bigInt({ min: 1n, max: 5n }) },
    { weight: 2, arbitrary: fc.bigInt({ min: -40n, max: 0n }) }, // a restart
    { weight: 1, arbitrary: fc.constantFrom(2n ** 40n, 2n ** 53n) },
  );
  const part = fc.record({
    gap,
    strides: fc.array(fc.constantFrom(1n, 1n, 2n, 7n), { maxLength: 3 }),
    values: fc.array(value, { minLength: 4, maxLength: 4 }),
  });
  const begin = fc.constantFrom(0n, -300n, lowest, 2n ** 53n - 200n, 2n ** 62n);
  const cuts = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 3,
    maxLength: 3,
  });

  it(
    'returns the numbers of all points in each bucket at every zoom, however far the series is rolled up, at any steps',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          begin,
          fc.array(part, { minLength: 20, maxLength: 220, size: 'max' }),
          fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
          fc.constantFrom('nothing', 'last step', 'wide chunk'),
          cuts,
          async (start, list, rolls, end, zooms) => {
            let step = start;
            const parts = list.map((one) => {
              step = step + one.gap > highest - 1_000n ? step : step + one.gap < lowest ? lowest : step + one.gap;
              const rows: [bigint, number, number][] = [[step, 1e9, one.values[0]!]];
              one.strides.forEach((stride, i) => rows.push([(step += stride), 1e9 + i, one.values[i + 1]!]));
              return pointsOf(rows);
            });
            if (end !== 'nothing')
              parts.push(
                pointsOf(
                  end === 'last step'
                    ? [[highest, 1, 2]]
                    : [
                        [step + 1n, 1, 2],
                        [highest, 2, 1],
                      ],
                ),
              );
            const tag = `rolled${made}`;
            const seriesId = await store(parts, tag);
            const all = effectiveOf(concatPoints([emptyPoints(), ...parts]));
            const at = (share: number): bigint => all.steps[Math.min(all.steps.length - 1, Math.floor(share * all.steps.length))]!;
            const check = async (): Promise<void> => {
              for (const points of [1, 2, 5, 17]) {
                const whole = { from: all.steps[0]!, to: all.steps.at(-1)! };
                for (const zoom of [null, ...zooms]) {
                  const [from, to] = zoom ? zoom.map(at).sort((a, b) => (a < b ? -1 : 1)) : [];
                  const range = from === undefined || to === undefined ? null : { from: from + (points === 2 && from < to ? 1n : 0n), to };
                  checkMinmax((await chart(tag, points, range)).series[0]!, all, points, range ?? whole);
                }
              }
            };
            await check();
            for (const rows of rolls) {
              await rollUp(seriesId, rows);
              await check();
            }
            await world.store.withIngest(world.tenantId, (ingest) => shortenRollups(ingest, [{ seriesId, fromStep: at(zooms[0]![0]) }]));
            await check();
          },
        ),
        { numRuns: Number(process.env['ROLLUP_RUNS'] ?? 12), endOnFailure: true },
      );
    },
  );

  it('does not read chunks that rollups cover', async () => {
    const parts = Array.from({ length: 600 }, (_, i) =>
      pointsOf([
        [2 * i, 1e9, i % 17],
        [2 * i + 1, 1e9, -i],
      ]),
    );
    const seriesId = await store(parts, 'unread');
    while ((await rollUp(seriesId, 64)) > 0);
    const all = concatPoints(parts);
    const range = { from: 301n, to: 1_001n };
    checkMinmax((await chart('unread', 3, range)).series[0]!, all, 3, range);
    // A chart that still read these chunks would now show different numbers.
    await world.admin.query(`update scalar_chunk set min_value = -1e9, count = 1 where series_id = $1 and first_step between 320 and 960`, [
      seriesId,
    ]);
    const [series] = (await chart('unread', 3, range)).series;
    checkMinmax(series!, all, 3, range);
    expect(series!.sourcePoints).toBe(701);
  });
});
