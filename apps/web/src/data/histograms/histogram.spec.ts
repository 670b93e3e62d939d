import { describe, expect, it } from 'vitest';
import { densestOf, densityOf, edgesOf, percentilesOf, readHistogram } from './histogram.ts';

const tensor = (...data: (number | string)[]) => ({ dtype: 'float64', shape: [data.length / 3, 3], data });

describe('a histogram', () => {
  it('keeps the bins that were logged', () => {
    const { bins, total } = readHistogram(3, tensor(0, 1, 4, 1, 3, 6));
    expect(bins).toEqual([
      { left: 0, right: 1, count: 4 },
      { left: 1, right: 3, count: 6 },
    ]);
    expect(total).toBe(10);
    expect(bins.map((bin) => densityOf(bin, 0.1))).toEqual([4, 3]);
  });

  it('may have more bins than a call takes arguments', () => {
    const many = readHistogram(0, {
      dtype: 'float64',
      shape: [300_000, 3],
      data: Array.from({ length: 900_000 }, (_, i) => Math.floor((i + 1) / 3)),
    });
    expect(many.bins).toHaveLength(300_000);
    expect(densestOf([many], 1)).toBe(many.bins.at(-1)!.count);
    expect(densestOf([], 1)).toBe(1);
  });

  it('leaves out what has no place', () => {
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

  it('has percentiles in proportion', () => {
    const values = percentilesOf(readHistogram(0, tensor(0, 10, 100)))!;
    expect(values.map((value) => value.toFixed(3))).toEqual('0.000 0.668 1.587 3.085 5.000 6.915 8.413 9.332 10.000'.split(' '));
    expect(percentilesOf(readHistogram(0, tensor(0, 1, 0)))).toBeNull();
  });
});
