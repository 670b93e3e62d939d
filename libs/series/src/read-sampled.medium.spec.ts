import { afterAll, beforeAll, expect, it } from 'vitest';
import { slicePoints } from '#chunks';
import { Problem, type PointColumns } from '#model';
import { describeWith } from '#testing';
import { listForReaders } from './list-for-readers.ts';
import { readSampled, type SampledOptions, type SampledRequest } from './read-sampled.ts';
import { SampleCache } from './sample-cache.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import { sampleLong } from './sample-long.ts';
import { pointsOf, SeriesWorld } from './testing/series-world.ts';

const admit = async (): Promise<void> => undefined;

/** A wave with a spike in it. */
function wave(count: number, spikeAt = -1, stride = 1): PointColumns {
  return pointsOf(
    Array.from(
      { length: count },
      (_, i) => [i * stride, 1_700_000_000 + i / 8, i === spikeAt ? 1000 : Math.fround(Math.sin(i / 50))] as const,
    ),
  );
}

describeWith(['postgres'], 'reading a bounded number of exact points', () => {
  let world: SeriesWorld;
  let runs = 0;
  beforeAll(async () => {
    world = await SeriesWorld.make();
  });
  afterAll(() => world?.close());

  const read = (given: Partial<SampledRequest>, options: SampledOptions = {}) => {
    const request = { experimentId: world.experimentId, runs: null, tags: null, plugin: 'scalars', unlisted: false, from: null, to: null };
    return readSampled(world.store, world.tenantId, { ...request, view: null, points: 1000, ...given }, admit, options);
  };
  const list = (given: { runs?: string[] | null; tags?: string[] | null; plugin?: string }) =>
    listForReaders(
      world.store,
      world.tenantId,
      'scalar',
      { experimentId: world.experimentId, plugin: 'scalars', runs: null, tags: null, view: null, ...given },
      admit,
    );

  /** Creates a run with these series, their chunks and their tail. Returns the run's name. */
  async function store(series: Readonly<Record<string, { chunks?: PointColumns; tail?: PointColumns }>>): Promise<string> {
    const run = `run${String(runs++).padStart(3, '0')}`;
    const runId = await world.run(run);
    const fileId = await world.file(runId, 'events.1');
    for (const [tag, { chunks, tail }] of Object.entries(series)) {
      const seriesId = await world.series(runId, tag);
      if (chunks) await world.storePoints(seriesId, [{ fileId, points: chunks }]);
      if (tail) await world.storeTail(runId, [{ seriesId, fileId, firstOrdinal: chunks?.steps.length ?? 0, points: tail }]);
    }
    return run;
  }

  it('returns all points, bit for bit, if no more exist', async () => {
    const odd = pointsOf([
      [-5, 1e9, -0],
      [2n ** 60n, 1e9 + 0.1, Number.NaN],
      [2n ** 62n, Infinity, -Infinity],
    ]);
    const run = await store({ odd: { chunks: slicePoints(odd, 0, 2), tail: slicePoints(odd, 2, 3) } });
    expect(await read({ runs: [run], points: 3 })).toEqual([{ run, tag: 'odd', points: odd }]);
  });

  it('returns exactly as many as requested of longer series, over chunks and tail, with the spike and the last point', async () => {
    const all = wave(20_000, 13_333);
    const run = await store({ loss: { chunks: slicePoints(all, 0, 19_900), tail: slicePoints(all, 19_900, 20_000) } });
    for (const points of [1, 2, 3, 40, 1000, 19_999]) {
      const [series] = await read({ runs: [run], points });
      const { steps, wallTimes, values } = series!.points;
      expect(steps).toHaveLength(points);
      expect(steps.at(-1)).toBe(19_999n);
      steps.forEach((step, i) => expect([wallTimes[i], values[i]]).toEqual([all.wallTimes[Number(step)], all.values[Number(step)]]));
      if (points > 3) expect(values).toContain(1000);
    }
  });

  it('returns the same steps for series of a run that were logged together, with the spikes of each', async () => {
    const run = await store({
      lower: { chunks: wave(9_000, 100) },
      upper: { chunks: wave(9_000, 8_000) },
      other: { chunks: wave(8_999, 7) },
    });
    const [lower, other, upper] = await read({ runs: [run], points: 100 });
    expect(lower!.points.steps).toEqual(upper!.points.steps);
    expect(lower!.points.steps).toHaveLength(100);
    expect(other!.points.steps).toHaveLength(100);
    expect([lower, upper, other].map((series) => Math.max(...series!.points.values))).toEqual([1000, 1000, 1000]);
  });

  it('returns no points for 0, and leaves out empty series', async () => {
    const run = await store({ empty: {}, full: { chunks: wave(5) }, live: { tail: wave(3) } });
    const series = await read({ runs: [run], points: 0 });
    expect(series.map(({ tag, points }) => [tag, points.steps.length])).toEqual([
      ['full', 0],
      ['live', 0],
    ]);
    expect((await list({ runs: [run] })).map(({ tag }) => tag)).toEqual(['full', 'live']);
  });

  it('lists the largest step and the largest wall time, which are not always the last ones', async () => {
    const back = pointsOf([
      [1, 500, 1],
      [2, 900, 1],
      [3, 700, 1],
    ]);
    const run = await store({ chunks: { chunks: back }, tail: { chunks: slicePoints(back, 0, 2), tail: slicePoints(back, 2, 3) } });
    for (const { maxStep, maxWallTime } of await list({ runs: [run] })) expect([maxStep, maxWallTime]).toEqual([3n, 900]);
  });

  it('matches names literally, absent lists as all and empty ones as none', async () => {
    const run = await store({ 'a"b\\{},é': { chunks: wave(2) } });
    expect(await read({ runs: [run], tags: ['a"b\\{},é', 'nobody'] })).toHaveLength(1);
    expect(await read({ runs: [run], tags: [] })).toEqual([]);
    expect(await read({ runs: [], tags: null })).toEqual([]);
    expect(await read({ runs: [run], plugin: 'text' })).toEqual([]);
    expect(await list({ runs: [run], tags: [] })).toEqual([]);
    expect(await list({ runs: null })).toHaveLength((await read({ points: 0 })).length);
  });

  it('shows a visitor only what the view contains', async () => {
    const run = await store({ shown: { chunks: wave(2) }, hidden: { chunks: wave(2) } });
    const view = { runs: [run], tags: ['shown'], anonymous: false };
    expect((await read({ view })).map(({ tag }) => tag)).toEqual(['shown']);
    expect(await read({ view, tags: ['hidden'] })).toEqual([]);
  });

  it('reads some chunks of a series that is too long to scan, and still shows its spikes', async () => {
    const all = wave(60_000, 41_234);
    const tail = pointsOf([
      [70_000, 1.9e9, 5],
      [70_001, 1.9e9, 6],
    ]);
    const run = await store({ long: { chunks: all, tail } });
    const selection = {
      experimentId: world.experimentId,
      runs: [run],
      tags: null,
      plugin: 'scalars',
      unlisted: false,
      from: null,
      to: null,
      view: null,
    };
    for (const points of [2, 50, 500]) {
      const sample = await world.store.withSnapshot(world.tenantId, async (snapshot) => {
        const found = await findScalarSeries(snapshot, selection);
        return sampleLong(snapshot, { ...selection, points, chunks: 8 }, found.list[0]!, found.tails);
      });
      const { steps, wallTimes, values } = sample;
      expect(steps).toHaveLength(points);
      expect(steps.at(-1)).toBe(70_001n);
      steps.forEach((step, i) => {
        if (step < 60_000n) expect([wallTimes[i], values[i]]).toEqual([all.wallTimes[Number(step)], all.values[Number(step)]]);
        expect(i === 0 || step > steps[i - 1]!).toBe(true);
      });
      if (points >= 50) expect(values).toContain(1000);
    }
  });

  it('reads the ends of series that are too many and too long to scan', async () => {
    const run = await store({ a: { chunks: wave(10_000) }, b: { chunks: wave(5), tail: pointsOf([[9, 1, 7]]) } });
    expect((await read({ runs: [run], points: 1 })).map(({ points }) => [...points.steps, ...points.values])).toEqual([
      [9_999n, Math.fround(Math.sin(9_999 / 50))],
      [9n, 7],
    ]);
  });

  it('caches samples only while everything acknowledged is visible, and uses none from before a change', async () => {
    const cache = new SampleCache(1_000_000);
    const sql = (text: string) =>
      world.admin.query(`${text} where tenant_id = $1 and experiment_id = $2`, [world.tenantId, world.experimentId]);
    const all = wave(300, 100);
    const run = await store({ a: { chunks: all }, b: { chunks: wave(300, 200) }, c: { chunks: wave(20) } });
    const readAll = async () => (await read({ runs: [run], points: 50 }, { cache })).map(({ points }) => points);
    const first = await readAll();
    const second = await readAll();
    expect(second).toEqual(first);
    second.forEach((points, i) => expect(points).toBe(first[i])); // the very same
    // A series that is requested alone is sampled alone.
    const [alone] = await read({ runs: [run], tags: ['a'], points: 50 }, { cache });
    expect(alone!.points).not.toBe(first[0]);
    // Something is pending: the cache is neither used nor filled.
    await sql('update experiment_epoch set acknowledged_epoch = acknowledged_epoch + 1');
    const unsettled = await readAll();
    expect(unsettled).toEqual(first);
    unsettled.forEach((points, i) => expect(points).not.toBe(first[i]));
    await sql('update progress_view set published_epoch = published_epoch + 1');
    (await readAll()).forEach((points, i) => expect(points).not.toBe(first[i]));
  });

  it('stops when the caller is gone', async () => {
    const run = await store({ long: { chunks: wave(5_000) } });
    const abort = new AbortController();
    abort.abort(new Problem('bad-request', 'gone'));
    await expect(read({ runs: [run] }, { signal: abort.signal })).rejects.toThrow('gone');
  });
});
