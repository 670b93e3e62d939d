import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { concatPoints, decodeStoredSeries } from '#chunks';
import type { PointColumns } from '#model';
import { describeWith } from '#testing';
import { readMinmax } from './read-minmax.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import { readScalars } from './read-scalars.ts';
import { readStoredScalars } from './read-stored.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { checkMinmax, columnOf, pointsIn } from './testing/check-minmax.ts';
import { naiveBuckets } from './testing/naive-buckets.ts';
import { effectiveOf, effectiveOfTail, pointsOf, SeriesWorld, sortedBySteps } from './testing/series-world.ts';

const admit = async (): Promise<void> => undefined;

describeWith(['postgres'], 'reading scalars', () => {
  let world: SeriesWorld;
  let made = 0;
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
  const read = (given: Partial<ScalarRequest>) => readScalars(world.store, world.tenantId, request(given), admit);

  /** Creates a run with one series, and returns the series' tag. */
  async function store(batches: readonly PointColumns[], tail: readonly PointColumns[] = [], tag = `t${made}`): Promise<string> {
    const runId = await world.run(`run${String(made++).padStart(6, '0')}`);
    const fileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, tag);
    await world.storePoints(
      seriesId,
      batches.map((points) => ({ fileId, points })),
    );
    let firstOrdinal = batches.reduce((sum, points) => sum + points.steps.length, 0);
    for (const points of tail) {
      await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal, points }]);
      firstOrdinal += points.steps.length;
    }
    return tag;
  }

  it('returns the numbers of all points in each bucket, for any series, range and number of buckets', async () => {
    await fc.assert(
      fc.asyncProperty(
        logs(),
        fc.integer({ min: 1, max: 400 }),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
        fc.boolean(),
        async ({ batches, tail }, points, cut, ranged) => {
          const tag = await store(batches, tail);
          const all = sortedBySteps(effectiveIn(batches, tail));
          const range = ranged ? rangeOf(all, cut) : null;
          const { series } = await read({ tags: [tag], points, from: range?.from ?? null, to: range?.to ?? null });
          checkMinmax(series[0]!, all, points, range ?? { from: all.steps[0]!, to: all.steps.at(-1)! });
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('returns the same for many series together and one after another', async () => {
    const tag = `groups ${made}`;
    for (const points of [30, 5_000, 700, 20_000]) await store([noisy(points, 1n)], [], tag);
    const wanted = request({ tags: [tag], points: 100, from: 5n, to: 12_000n });
    const readBy = (groupPoints: number) =>
      world.store.withSnapshot(world.tenantId, async (snapshot) => {
        const { list, tails } = await findScalarSeries(snapshot, wanted);
        return readMinmax(snapshot, wanted, list, tails, groupPoints);
      });
    const together = await readBy(1_000_000);
    expect(together.map(({ sampling }) => sampling)).toEqual(['raw', 'minmax', 'minmax', 'minmax']);
    expect(await readBy(1)).toEqual(together);
  });

  it('returns exact buckets from cells of 64, of 512 and from chunks', async () => {
    const all = noisy(300_000, 7n);
    const tag = await store([all]);
    for (const points of [8, 60, 70, 80, 200, 500, 600, 2000, 3000, 5000]) {
      const { series } = await read({ tags: [tag], points });
      checkMinmax(series[0]!, all, points, { from: all.steps[0]!, to: all.steps.at(-1)! });
      expect(columnOf(series[0]!, 'count').length).toBeGreaterThan(points / 2);
    }
    const cut = { from: 10_003n, to: 1_900_001n };
    for (const points of [50, 500, 3000]) {
      const { series } = await read({ tags: [tag], points, ...cut });
      checkMinmax(series[0]!, all, points, cut);
    }
  });

  it.each([
    ['odd steps', 0n, Math.fround],
    ['odd steps beyond 2^53', 2n ** 60n, Math.fround],
    ['even steps beyond 2^53, and float64 values', -(2n ** 60n), (value: number) => value * Math.PI],
  ])('returns exact buckets from a few cells each: %s', async (_, from, form) => {
    const even = noisy(60_000, 5n);
    const all = {
      ...even,
      steps: even.steps.map((step, i) => from + step + (from < 0n ? 0n : BigInt(i % 3))),
      // Some cells contain only NaN.
      values: even.values.map((value, i) => (i % 10_000 < 700 ? Number.NaN : form(value))),
    };
    const tag = await store([all]);
    for (const points of [40, 100, 400, 900]) {
      const { series } = await read({ tags: [tag], points });
      checkMinmax(series[0]!, all, points, { from: all.steps[0]!, to: all.steps.at(-1)! });
    }
  });

  it('aligns the buckets of the runs of a tag, and of all series on request', async () => {
    await store([noisy(50_000, 1n)], [], 'aligned');
    await store([noisy(20_000, 3n)], [], 'aligned');
    await store([noisy(9_000, 40n)], [], 'other');
    for (const align of ['tag', 'request'] as const) {
      const { series } = await read({ tags: ['aligned', 'other'], points: 100, align });
      const [long, ...others] = series.map((one) => columnOf(one, 'step').map(Number));
      const bounds = long!.filter((step) => step < 50_000 - 64); // the last bucket continues in the other runs
      const widths = new Set(bounds.slice(1).map((bound, i) => bound - bounds[i]!));
      expect([widths.size, [...widths][0]! % 64], align).toEqual([1, 0]);
      for (const [i, steps] of (align === 'tag' ? others.slice(0, 1) : others).entries()) {
        const buckets = steps.filter((step) => step < bounds.at(-1)!).map((step) => bounds.findLastIndex((bound) => bound <= step));
        expect(new Set(buckets).size, `${align} ${i}`).toBe(buckets.length);
      }
    }
  });

  it('returns few points raw', async () => {
    const rows = [
      [-5, 1e300, Number.NaN],
      [0, Number.NaN, -0],
      [7, -3.5, Infinity],
      [9, 1, -Infinity],
      [2n ** 63n - 1n, 2, 5e-324],
    ] as const;
    const tag = await store([pointsOf(rows)]);
    const { series } = await read({ tags: [tag], points: 5 });
    expect(series[0]).toMatchObject({ sampling: 'raw', exact: true, sourcePoints: 5 });
    expect(series[0]!.content).toEqual({ points: pointsOf(rows) });
    expect((await read({ tags: [tag], points: 4 })).series[0]!.sampling).toBe('minmax');
  });

  it('pages through raw points, complete and in order, for any page size', async () => {
    const tag = `paged${made}`;
    const runs = [noisy(9_000, 1n), noisy(1, 1n), noisy(4_096, 5n)];
    for (const points of runs) await store([points], [], tag);
    await store([noisy(5_000, 2n)], [shifted(noisy(40, 2n), 20_000n)], tag);
    runs.push(concatPoints([noisy(5_000, 2n), shifted(noisy(40, 2n), 20_000n)]));
    for (const pageSize of [997, 4_096, 100_000]) {
      const pages = await readAll({ tags: [tag], sampling: 'raw', pageSize });
      expect(pages.map((points) => points.steps.length)).toEqual(runs.map((points) => points.steps.length));
      pages.forEach((points, i) => expect(points).toEqual(runs[i]));
    }
  });

  it('pages through stored points, the same as raw ones, also after a page of these', async () => {
    const tag = `stored${made}`;
    const runs = [noisy(9_000, 1n), noisy(1, 1n), noisy(4_096, 5n)];
    for (const points of runs) await store([points], [], tag);
    await store([noisy(5_000, 2n)], [shifted(noisy(40, 2n), 20_000n)], tag);
    runs.push(concatPoints([noisy(5_000, 2n), shifted(noisy(40, 2n), 20_000n)]));
    runs.push(noisy(7, 1n));
    await store([], [runs.at(-1)!], tag);
    const raw = { tags: [tag], sampling: 'raw' as const };
    for (const pageSize of [1, 997, 4_096, 100_000]) {
      expect(await readAllStored({ ...raw, pageSize }), String(pageSize)).toEqual(runs);
      const { series, nextPageToken } = await read({ ...raw, pageSize: Math.min(pageSize, 6_000) });
      const rest = await readAllStored({ ...raw, pageSize, pageToken: nextPageToken });
      const [first, ...others] = runs;
      const [begun] = series.map(pointsIn);
      expect([concatPoints([begun!, rest[0]!]), ...rest.slice(1)], `after ${pageSize} raw points`).toEqual([first, ...others]);
    }
    await expect(readAllStored({ ...raw, pageToken: 'e30' })).rejects.toMatchObject({ code: 'invalid-page-token' });
  });

  it('limits raw pages to the range of steps', async () => {
    const all = noisy(20_000, 3n);
    const tag = await store([all]);
    const [points] = await readAll({ tags: [tag], sampling: 'raw', pageSize: 1_000, from: 5_000n, to: 50_000n });
    expect(points!.steps).toEqual(all.steps.filter((step) => step >= 5_000n && step <= 50_000n));
    const { series } = await read({ tags: [tag], sampling: 'raw', from: 5_000n, to: 50_000n });
    expect(series[0]!.sourcePoints).toBe(points!.steps.length);
  });

  it('returns all points in log order, with marks, if superseded ones are requested', async () => {
    await fc.assert(
      fc.asyncProperty(logs(), fc.integer({ min: 1, max: 3_000 }), async ({ batches, tail }, pageSize) => {
        const tag = await store(batches, tail);
        const logged = concatPoints([...batches, ...tail]);
        const marks: number[] = [];
        const [points] = await readAll(
          { tags: [tag], sampling: 'raw', superseded: true, pageSize: Math.max(pageSize, Math.ceil(logged.steps.length / 20)) },
          marks,
        );
        expect(points).toEqual(logged);
        const effective = effectiveIn(batches, tail);
        expect(points!.steps.filter((_, i) => marks[i] === 0)).toEqual(effective.steps);
        expect(points!.values.filter((_, i) => marks[i] === 0)).toEqual(effective.values);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('orders files by name, not by arrival', async () => {
    const runId = await world.run(`run${String(made++).padStart(6, '0')}`);
    const later = await world.file(runId, 'events.2');
    const earlier = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, `files${made}`);
    await world.storePoints(seriesId, [
      { fileId: earlier, points: noisy(5_000, 1n) },
      { fileId: later, points: shifted(noisy(3_000, 1n), 4_000n) },
    ]);
    const [points] = await readAll({ tags: [`files${made}`], sampling: 'raw', superseded: true, pageSize: 700 });
    expect(points!.steps).toEqual(concatPoints([noisy(5_000, 1n), shifted(noisy(3_000, 1n), 4_000n)]).steps);
  });

  it('samples at random: uniformly, determined by the seed alone, with or without points in a tail', async () => {
    const before = noisy(10_000, 1n);
    const after = shifted(noisy(500, 1n), 10_000n);
    const runId = await world.run(`run${String(made++).padStart(6, '0')}`);
    const fileId = await world.file(runId, 'events.1');
    const tag = `random${made}`;
    const seriesId = await world.series(runId, tag);
    await world.storePoints(seriesId, [{ fileId, points: before }]);
    await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: 10_000, points: after }]);
    const sample = async (given: Partial<ScalarRequest> = {}) =>
      pointsIn((await read({ tags: [tag], sampling: 'random', points: 2_000, ...given })).series[0]!);
    const waiting = await sample();
    expect(waiting.steps.length).toBe(2_000);
    expect(waiting.steps).toEqual(waiting.steps.toSorted());
    await world.admin.query('delete from run_tail where run_id = $1', [runId]);
    await world.admin.query('delete from scalar_chunk where series_id = $1', [seriesId]);
    await world.storePoints(seriesId, [
      { fileId, points: before },
      { fileId, points: after },
    ]);
    expect(await sample()).toEqual(waiting);
    expect(await sample({ seed: '1' })).not.toEqual(waiting);
    const quarters = [0, 0, 0, 0];
    for (const step of waiting.steps) quarters[Math.min(3, Math.floor(Number(step) / 2_625))]!++;
    // 500 expected in each; 5 standard deviations of a draw without replacement are 90.
    for (const count of quarters) expect(Math.abs(count - 500)).toBeLessThan(90);
  });

  it('returns the most recent points, from chunks and the tail', async () => {
    const all = noisy(9_000, 2n);
    const waiting = shifted(noisy(30, 2n), 18_000n);
    const tag = await store([all], [waiting]);
    for (const points of [10, 30, 31, 5_000, 20_000]) {
      const { series } = await read({ tags: [tag], sampling: 'tail', points });
      const expected = concatPoints([all, waiting]).steps.slice(-points);
      expect(pointsIn(series[0]!).steps).toEqual(expected);
      expect(series[0]).toMatchObject({ exact: points >= 9_030, sourcePoints: 9_030 });
    }
    const { series } = await read({ tags: [tag], sampling: 'tail', points: 10, to: 10_001n });
    expect(pointsIn(series[0]!).steps).toEqual(all.steps.filter((step) => step <= 10_001n).slice(-10));
  });

  it('returns the last point of each bucket', async () => {
    const all = noisy(30_000, 3n);
    const tag = await store([all]);
    const { series } = await read({ tags: [tag], sampling: 'last', points: 100 });
    const bucketOf = naiveBuckets(0n, 89_997n, 100);
    const last = new Map<number, bigint>();
    for (const step of all.steps) last.set(bucketOf(step), step);
    expect([...pointsIn(series[0]!).steps]).toEqual([...last.values()]);
  });

  it('treats absent filters as all and empty ones as none, and returns unlisted series only on request', async () => {
    const runId = await world.run(`run${String(made++).padStart(6, '0')}`);
    const fileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, 'hidden', { listed: false, plugin: 'mine' });
    await world.storePoints(seriesId, [{ fileId, points: noisy(3, 1n) }]);
    expect((await read({ runs: [] })).series).toEqual([]);
    expect((await read({ tags: [] })).series).toEqual([]);
    expect((await read({ tags: ['hidden'] })).series).toEqual([]);
    expect((await read({ tags: ['hidden'], unlisted: true })).series).toHaveLength(1);
    expect((await read({ tags: ['hidden'], unlisted: true, plugin: 'scalars' })).series).toHaveLength(0);
  });

  it('rejects a response of too many cells before it reads points, and says what to narrow', async () => {
    for (let i = 0; i < 41; i++) await world.series(await world.run(`run${String(made++).padStart(6, '0')}`), 'wide');
    await expect(read({ tags: ['wide'], points: 100_000 })).rejects.toMatchObject({
      code: 'answer-too-large',
      message: expect.stringContaining('at most 97560 points') as string,
    });
  });

  it('reads the frontier in the same transaction', async () => {
    expect((await read({ tags: [] })).frontier).toMatchObject({ epoch: 0, acknowledgedEpoch: 0 });
  });

  /** All stored points of a query, by series. */
  async function readAllStored(given: Partial<ScalarRequest>): Promise<PointColumns[]> {
    const bySeries = new Map<string, PointColumns[]>();
    let pageToken = given.pageToken ?? null;
    do {
      const page = await readStoredScalars(world.store, world.tenantId, request({ ...given, pageToken }), admit, async () => undefined);
      for (const { run, steps, wallTimes, values } of decodeStoredSeries(Buffer.concat(page.pieces)))
        bySeries.set(run, [...(bySeries.get(run) ?? []), { steps, wallTimes, values }]);
      pageToken = page.nextPageToken;
    } while (pageToken !== null);
    return [...bySeries.values()].map((parts) => concatPoints(parts));
  }

  async function readAll(given: Partial<ScalarRequest>, marks: number[] = []): Promise<PointColumns[]> {
    const bySeries = new Map<string, PointColumns[]>();
    let pageToken: string | null = null;
    do {
      const response = await read({ ...given, pageToken });
      let points = 0;
      for (const one of response.series) {
        const part = pointsIn(one);
        points += part.steps.length;
        if ('points' in one.content) marks.push(...(one.content.superseded ?? []));
        bySeries.set(`${one.run} ${one.tag}`, [...(bySeries.get(`${one.run} ${one.tag}`) ?? []), part]);
      }
      expect(points).toBeLessThanOrEqual(given.pageSize!);
      if (response.nextPageToken !== null) expect(points).toBe(given.pageSize);
      pageToken = response.nextPageToken;
    } while (pageToken !== null);
    return [...bySeries.values()].map((parts) => concatPoints(parts.filter((part) => part.steps.length > 0)));
  }
});

function rangeOf(points: PointColumns, [a, b]: readonly [number, number]): { from: bigint; to: bigint } {
  const at = (share: number): bigint => points.steps[Math.min(points.steps.length - 1, Math.floor(share * points.steps.length))]!;
  return { from: at(Math.min(a, b)), to: at(Math.max(a, b)) };
}

function noisy(count: number, stride: bigint): PointColumns {
  const value = (i: number): number =>
    i % 1013 === 0 ? Number.NaN : i % 2999 === 0 ? 1e6 : Math.fround((Math.sin(i * 12.9898) * 43758.5453) % 1);
  return pointsOf(Array.from({ length: count }, (_, i) => [BigInt(i) * stride, 1.7e9 + i * 0.1, value(i)] as const));
}

function shifted(points: PointColumns, by: bigint): PointColumns {
  return { ...points, steps: points.steps.map((step) => step + by) };
}

/** The effective points of a log, in log order. */
function effectiveIn(batches: readonly PointColumns[], tail: readonly PointColumns[]): PointColumns {
  const stored = effectiveOf(concatPoints(batches));
  return tail.length === 0 ? stored : concatPoints([stored, effectiveOfTail(concatPoints(tail))]);
}

/**
 * A series as programs can log it: with changing strides, gaps, restarts, unusual values and
 * extreme steps, in batches, with or without a tail.
 */
function logs(): fc.Arbitrary<{ batches: PointColumns[]; tail: PointColumns[] }> {
  const value = fc.oneof(
    { weight: 8, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }).map(Math.fround) },
    { weight: 1, arbitrary: fc.double() },
    { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 0) },
  );
  const section = fc.record({
    count: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 500, max: 5_000 })),
    stride: fc.oneof(fc.bigInt({ min: 1n, max: 3n }), fc.constantFrom(0n, 100n, 2n ** 40n)),
    /** Negative: a restart. */
    jump: fc.oneof(fc.constant(0n), fc.bigInt({ min: -2_000n, max: 2_000n })),
    values: fc.array(value, { minLength: 1, maxLength: 40 }),
  });
  return fc
    .record({
      start: fc.oneof(
        fc.constant(0n),
        fc.bigInt({ min: -1_000n, max: 1_000n }),
        fc.constantFrom(-(2n ** 63n), 2n ** 53n - 500n, 2n ** 62n),
      ),
      sections: fc.array(section, { minLength: 1, maxLength: 6 }),
      tail: fc.array(section, { maxLength: 2 }),
      end: fc.boolean(),
    })
    .map(({ start, sections, tail, end }) => {
      const clamp = (step: bigint): bigint => (step < -(2n ** 63n) ? -(2n ** 63n) : step > 2n ** 63n - 1n ? 2n ** 63n - 1n : step);
      let step = start;
      let highest = start;
      let n = 0;
      const make = ({ count, stride, jump, values }: (typeof sections)[number], floor: bigint | null): PointColumns => {
        step = clamp(step + jump);
        const rows: [bigint, number, number][] = [];
        for (let i = 0; i < count; i++) {
          step = clamp(step + stride);
          if (floor !== null && step <= floor) step = clamp(floor + 1n);
          if (step > highest) highest = step;
          rows.push([step, 1.6e9 + n * 0.25, values[i % values.length]!]);
          n++;
        }
        return pointsOf(rows);
      };
      const batches = sections.map((one) => make(one, null));
      if (end) batches.push(pointsOf([[2n ** 63n - 1n, 1, 2]]));
      // Steps in a tail are above those of all chunks (otherwise the worker cuts the tail).
      const floor = end ? 2n ** 63n - 1n : highest;
      const space = 2n ** 63n - 1n - floor > 2n ** 50n;
      return { batches, tail: space ? tail.map((one) => make(one, floor)) : [] };
    });
}
