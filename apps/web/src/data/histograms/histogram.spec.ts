import { describe, expect, it } from 'vitest';
import { binAt, edgesOf, percentilesOf, readHistogram } from './histogram.ts';

const tensor = (...data: (number | string)[]) => ({ dtype: 'float64', shape: [data.length / 3, 3], data });

describe('a histogram', () => {
  it('keeps the logged bins', () => {
    const { bins, total } = readHistogram(3, tensor(0, 1, 4, 1, 3, 6));
    expect(bins).toEqual([
      { left: 0, right: 1, count: 4 },
      { left: 1, right: 3, count: 6 },
    ]);
    expect(total).toBe(10);
  });

  it('may have more bins than a call accepts arguments', () => {
    const many = readHistogram(0, {
      dtype: 'float64',
      shape: [300_000, 3],
      data: Array.from({ length: 900_000 }, (_, i) => Math.floor((i + 1) / 3)),
    });
    expect(many.bins).toHaveLength(300_000);
    expect(edgesOf([many])).toEqual({ min: 0, max: 299_999 });
  });

  it('leaves out bins that cannot be drawn', () => {
    expect(readHistogram(0, tensor('NaN', 'NaN', 5, 0, 0, 0, 2, 2, 7)).bins).toEqual([{ left: 2, right: 2, count: 7 }]);
    expect(readHistogram(0, tensor(-1.7e308, -1, 2, 1, 1.7976931348623157e308, 3)).bins).toEqual([
      { left: -1, right: -1, count: 2 },
      { left: 1, right: 1, count: 3 },
    ]);
  });

  it('of one value still has an axis', () => {
    expect(edgesOf([readHistogram(0, tensor(3.25, 3.25, 50))])).toEqual({ min: 2.925, max: 3.575 });
    expect(edgesOf([readHistogram(0, tensor())])).toBeNull();
  });

  it('has proportional percentiles', () => {
    const values = percentilesOf(readHistogram(0, tensor(0, 10, 100)))!;
    expect(values.map((value) => value.toFixed(3))).toEqual('0.000 0.668 1.587 3.085 5.000 6.915 8.413 9.332 10.000'.split(' '));
    expect(percentilesOf(readHistogram(0, tensor(0, 1, 0)))).toBeNull();
  });

  it('returns the bin at a value: the one that contains it, or the nearest within reach', () => {
    const one = readHistogram(0, tensor(0, 1, 4, 1, 1, 9, 1, 2, 3, 2, 3, 0, 3, 4, 8));
    expect([0.5, 1, 1.5, 2.5, 2.9, 9].map((value) => binAt(one, value, 0.25)?.count ?? null)).toEqual([4, 9, 3, 0, 8, null]);
  });
});
