import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSeries, type ScalarSeries } from '#charts';
import { exactInTimes } from './exact-times.ts';

interface Point {
  readonly step: number;
  readonly time: number;
  readonly value: number;
}

/**
 * Responds like the service: with points, or with at most `max` buckets that cover equal ranges of
 * steps.
 */
function response(points: readonly Point[], max: number): ScalarSeries {
  const part = { run: 'a', tag: 't', source_points: points.length };
  if (points.length <= max) {
    const columns = {
      step: points.map(({ step }) => step),
      wall_time: points.map(({ time }) => time),
      value: points.map(({ value }) => value),
    };
    return readSeries({ ...part, sampling: 'raw', columns });
  }
  const [first, last] = [points[0]!.step, points.at(-1)!.step];
  const buckets = [...Map.groupBy(points, ({ step }) => Math.floor(((step - first) / (last - first + 1)) * max)).values()];
  const of = (read: (bucket: Point[]) => number): number[] => buckets.map(read);
  const columns = {
    step: of((bucket) => bucket[0]!.step),
    last_step: of((bucket) => bucket.at(-1)!.step),
    count: of(({ length }) => length),
    first: of((bucket) => bucket[0]!.value),
    last: of((bucket) => bucket.at(-1)!.value),
    min: of((bucket) => Math.min(...bucket.map(({ value }) => value))),
    max: of((bucket) => Math.max(...bucket.map(({ value }) => value))),
    wall_time: of((bucket) => bucket[0]!.time),
  };
  return readSeries({ ...part, sampling: 'minmax', columns });
}

const within = (points: readonly Point[], from: number, to: number) => points.filter(({ step }) => step >= from && step <= to);
const zoom = (points: readonly Point[], axis: 'wall' | 'relative', from: number, to: number, max = 100) => {
  let asked = 0;
  const found = exactInTimes(response(points, max), axis, { from, to }, async (first, last) => {
    asked++;
    return response(within(points, first, last), max);
  });
  return found.then((numbers) => ({ numbers, asked }));
};

describe('a range of a time axis', () => {
  const long = Array.from({ length: 20_000 }, (_, i) => ({ step: i, time: 1.7e9 + i * 0.25, value: Math.sin(i) * i }));

  it('has exactly the points whose times are in it, both ends included', async () => {
    const seen = long.slice(5_000, 10_001);
    const values = seen.map(({ value }) => value);
    const expected = {
      points: 5_001,
      first: values[0],
      last: values.at(-1),
      min: Math.min(...values),
      max: Math.max(...values),
      notFinite: { nan: 0, positive: 0, negative: 0 },
    };
    for (const [axis, from] of [
      ['wall', 1.7e9],
      ['relative', 0],
    ] as const) {
      const { numbers, asked } = await zoom(long, axis, from + 1_250, from + 2_500);
      expect(numbers).toEqual(expected);
      expect(asked).toBeLessThanOrEqual(6); // three at each end
      expect((await zoom(long, axis, from + 1_250.01, from + 2_499.99)).numbers).toMatchObject({ points: 4_999 });
      expect((await zoom(long, axis, from - 10, from + 1e6)).numbers).toMatchObject({ points: 20_000 });
      expect((await zoom(long, axis, from + 0.1, from + 0.2)).numbers).toMatchObject({ points: 0, min: Number.NaN });
    }
  });

  it('is exact for any times that do not decrease', async () => {
    const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 0, 1, 2.5, 100)), { minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 2, max: 20 }), fc.nat(2000), fc.nat(2000), async (list, max, a, b) => {
        let [step, time] = [0, 0];
        const points = list.map(([far, later], i) => ({ step: (step += far), time: (time += later), value: (i * 7) % 11 }));
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const seen = points.filter((one) => one.time >= from && one.time <= to);
        const { numbers } = await zoom(points, 'wall', from, to, max);
        expect(numbers).toMatchObject({ points: seen.length, first: seen[0]?.value ?? Number.NaN, last: seen.at(-1)?.value ?? Number.NaN });
        if (seen.length > 0) expect(numbers!.min).toBe(Math.min(...seen.map(({ value }) => value)));
      }),
    );
  });

  it('has no exact numbers if a clock went back or the data changed meanwhile', async () => {
    const back = long.map((point) => (point.step > 9_000 ? { ...point, time: point.time - 1_000 } : point));
    expect((await zoom(back, 'wall', 1.7e9 + 100, 1.7e9 + 2_000)).numbers).toBeNull();
    const changed = exactInTimes(response(long, 100), 'wall', { from: 1.7e9 + 1, to: 1.7e9 + 9 }, async () =>
      response(long.slice(0, 3), 100),
    );
    expect(await changed).toBeNull();
  });
});
