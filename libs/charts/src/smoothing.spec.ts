import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanSpacing, smooth, weightFor } from './smoothing.ts';

const of = (...values: number[]): Float64Array => Float64Array.from(values);

describe('smoothing', () => {
  it("is TensorBoard's debiased average", () => {
    // Computed by hand: 1; (0.6·0.4·1 + 0.4·2) / (1 − 0.36); and so on.
    const smoothed = smooth(of(1, 2, 4), 0.6);
    expect(smoothed[0]).toBe(1);
    expect(smoothed[1]).toBeCloseTo((0.24 + 0.8) / 0.64, 12);
    expect(smoothed[2]).toBeCloseTo((0.144 + 0.48 + 1.6) / 0.784, 12);
  });

  it('does not change values at weight 0', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })), (values) => {
        expect([...smooth(of(...values), 0)].map((value) => value + 0)).toEqual(values.map((value) => value + 0));
      }),
    );
  });

  it('stays between the smallest and the largest value', () => {
    const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 0.999, noNaN: true }), (list, weight) => {
        const slack = 1e-6 * Math.max(1, ...list.map(Math.abs));
        for (const value of smooth(of(...list), weight)) {
          expect(value).toBeGreaterThanOrEqual(Math.min(...list) - slack);
          expect(value).toBeLessThanOrEqual(Math.max(...list) + slack);
        }
      }),
    );
  });

  it('keeps a constant exactly, and values that are not finite in place', () => {
    expect([...smooth(of(0.1, 0.1, 0.1), 0.9)]).toEqual([0.1, 0.1, 0.1]);
    const smoothed = smooth(of(1, Number.NaN, 1, Infinity, 2), 0.5);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[3]).toBe(Infinity);
    expect(smoothed[2]).toBe(1);
    expect(smoothed[4]).toBeCloseTo((0.125 + 0.25 + 1) / 0.875, 12);
  });

  it('keeps its width in steps when points are denser', () => {
    expect(weightFor(0.6, 1, 4)).toBeCloseTo(0.6 ** 0.25, 12);
    expect(weightFor(0.6, 4, 4)).toBe(0.6);
    expect(weightFor(0.6, Number.NaN, 4)).toBe(0.6);
    expect(weightFor(0.6, 0, 4)).toBe(0.6);
    const slope = Float64Array.from({ length: 4001 }, (_, i) => Math.sin(i / 400));
    const coarse = slope.filter((_, i) => i % 4 === 0);
    const fine = smooth(slope, weightFor(0.9, 1, 4));
    const rough = smooth(coarse, 0.9);
    expect(Math.abs(fine[4000]! - rough[1000]!)).toBeLessThan(0.01);
  });

  it('measures how far points are apart', () => {
    expect(meanSpacing(of(0, 1, 4, 9))).toBe(3);
    expect(meanSpacing(of(1))).toBeNaN();
  });
});
