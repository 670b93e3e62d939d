import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SampledSeries } from '#series';
import { mergeSampled } from './merge-writers.ts';

const seriesOf = (writer: number, values: readonly number[]): SampledSeries =>
  ({
    run: 'train',
    tag: 'loss',
    seriesId: String(writer),
    points: {
      steps: BigInt64Array.from(values, (_, i) => BigInt(2 * i + writer)),
      wallTimes: Float64Array.from(values, (_, i) => 1000 * writer + i),
      values: Float64Array.from(values),
    },
  }) as unknown as SampledSeries;

describe('writers of one series that are merged for a bounded reader', () => {
  it('keep the first, the last, the smallest and the largest value of all, ordered by step', () => {
    const value = fc.oneof({ weight: 8, arbitrary: fc.double({ noNaN: true }) }, { weight: 1, arbitrary: fc.constant(Number.NaN) });
    const values = fc.array(value, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(values, values, fc.integer({ min: 4, max: 40 }), (a, b, max) => {
        const [merged] = mergeSampled([seriesOf(0, a), seriesOf(1, b)], max);
        const { steps, values: kept } = merged!.points;
        expect(kept.length).toBeLessThanOrEqual(max);
        expect(steps).toEqual(steps.toSorted());
        const all = [...a, ...b].filter((one) => !Number.isNaN(one));
        if (all.length === 0) return;
        const finite = [...kept].filter((one) => !Number.isNaN(one));
        expect([Math.min(...finite), Math.max(...finite)]).toEqual([Math.min(...all), Math.max(...all)]);
      }),
    );
  });

  it('are complete if all points fit', () => {
    const [merged] = mergeSampled([seriesOf(0, [1, 2, 3]), seriesOf(1, [4, 5])], 5);
    expect([...merged!.points.values]).toEqual([1, 4, 2, 5, 3]);
  });
});
