import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { samplePlaces, SpikeSampler } from './spike-sampler.ts';

/** Points with these values, at steps 10, 20, … */
function pointsOf(values: readonly number[], from = 0): PointColumns {
  return {
    steps: BigInt64Array.from(values, (_, i) => BigInt(10 * (from + i + 1))),
    wallTimes: Float64Array.from(values, (_, i) => 1e9 + from + i),
    values: Float64Array.from(values),
  };
}

/** The sample of a series that is added in parts of these sizes. */
function sample(values: readonly number[], points: number, partSize: number, alike = 1): PointColumns {
  const sampler = new SpikeSampler({ total: values.length, points, alike });
  for (let at = 0; at < values.length; at += partSize) sampler.add(pointsOf(values.slice(at, at + partSize), at));
  return sampler.pick(samplePlaces(values.length, points, sampler.spikes));
}

const value = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: -1, max: 1, noNaN: true }) },
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0),
);
const logs = fc
  .tuple(fc.array(value, { minLength: 2, maxLength: 400 }), fc.nat(), fc.integer({ min: 1, max: 50 }))
  .map(([values, points, partSize]) => ({ values, points: 1 + (points % (values.length - 1)), partSize }));

describe('a sample without hidden spikes', () => {
  it('has exactly as many points as requested, all from the series, in order, including the last', () => {
    fc.assert(
      fc.property(logs, ({ values, points, partSize }) => {
        const all = pointsOf(values);
        const { steps, wallTimes, values: kept } = sample(values, points, partSize);
        expect(steps.length).toBe(points);
        expect(steps.at(-1)).toBe(all.steps.at(-1));
        steps.forEach((step, i) => {
          const at = Number(step) / 10 - 1;
          expect([wallTimes[i], kept[i]]).toEqual([all.wallTimes[at], all.values[at]]);
          expect(i === 0 || step > steps[i - 1]!).toBe(true);
        });
      }),
    );
  });

  it('does not depend on how the points are divided', () => {
    fc.assert(
      fc.property(logs, ({ values, points, partSize }) => {
        expect(sample(values, points, partSize)).toEqual(sample(values, points, 400));
      }),
    );
  });

  it('has the smallest and the largest value, and a NaN if there is one, from 32 points on', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 40, maxLength: 900 }), (values) => {
        const kept = [...sample(values, 32, 64).values];
        const numbers = values.filter((one) => !Number.isNaN(one));
        if (numbers.length > 0) {
          expect(Math.min(...kept.filter((one) => !Number.isNaN(one)))).toBe(Math.min(...numbers));
          expect(Math.max(...kept.filter((one) => !Number.isNaN(one)))).toBe(Math.max(...numbers));
        }
        expect(kept.some(Number.isNaN)).toBe(numbers.length < values.length);
      }),
    );
  });

  it('keeps a spike of one point in a million', () => {
    const values = Array.from({ length: 1_000_000 }, (_, i) => Math.sin(i / 1e4));
    values[777_777] = 50;
    expect([...sample(values, 1000, 4096).values]).toContain(50);
  });

  it('takes the same steps from series that are sampled alike, with the spikes of each', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 2, max: 200 }),
        fc.integer({ min: 1, max: 1000 }),
        (alike, total, seed) => {
          const points = 1 + (seed % (total - 1));
          const series = Array.from({ length: alike }, (_, no) => Array.from({ length: total }, (_one, i) => Math.sin(seed * no + i * i)));
          const samplers = series.map((values) => {
            const sampler = new SpikeSampler({ total, points, alike });
            sampler.add(pointsOf(values));
            return sampler;
          });
          const spikes = samplers.flatMap((sampler) => [...sampler.spikes]);
          expect(samplePlaces(total, points, spikes)).toHaveLength(points);
        },
      ),
    );
  });
});
