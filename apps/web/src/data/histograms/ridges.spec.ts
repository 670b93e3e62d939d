import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from './columns.ts';
import { type Histogram, readHistogram } from './histogram.ts';
import { ridges, stepLabels } from './ridges.ts';
import { percentiles, percentileTicks } from './percentiles.ts';
import { TagScale } from './tag-scale.ts';
import cases from './testing/histograms.json' with { type: 'json' };

/** Data logged by writers, and the counts that numpy computes for it; see make_histograms.py. */
interface Logged {
  readonly name: string;
  readonly data: readonly number[];
  readonly total: number;
  readonly places: readonly number[];
  readonly below: readonly number[];
}

const logged: readonly Logged[] = cases;
const box = { left: 16, top: 8, width: 300, height: 174 };

function histogram(data: readonly number[], step = 0): Histogram {
  return readHistogram(step, { dtype: 'float64', shape: [data.length / 3, 3], data });
}

/**
 * Corners of a drawn path: pixels from the left of the plot, and pixels above the baseline on which
 * it starts.
 */
function cornersOf(d: string): { readonly x: number; readonly height: number }[] {
  let [x, y, ground] = [0, 0, Number.NaN];
  return [...d.matchAll(/M([-\d.]+) ([-\d.]+)|([HV])([-\d.]+)/g)].map(([, left, top, letter, at]) => {
    if (left !== undefined) [x, y, ground] = [Number(left), Number(top), Number(top)];
    else if (letter === 'H') x = Number(at);
    else y = Number(at);
    return { x: x - box.left, height: ground - y };
  });
}

/** The part of the drawn shape's area that lies to the left of a pixel. */
function areaBefore(d: string, pixel: number): number {
  const corners = cornersOf(d);
  return corners.slice(1).reduce((sum, { x, height }, i) => sum + Math.max(0, Math.min(x, pixel) - corners[i]!.x) * height, 0);
}

/** Peaks that exceed the adjacent valleys by at least a tenth of the highest peak. */
function peaksOf(d: string): number {
  const heights = cornersOf(d).map(({ height }) => height);
  const min = Math.max(...heights) / 10;
  let [peaks, high, low, rising] = [0, 0, 0, true];
  for (const height of heights) {
    if (rising) {
      high = Math.max(high, height);
      if (high - height > min) [peaks, rising, low] = [peaks + 1, false, height];
    } else {
      low = Math.min(low, height);
      if (height - low > min) [rising, high] = [true, height];
    }
  }
  return peaks;
}

const forms = [true, false] as const;

describe.each(logged)('a histogram by $name', ({ data, total, places, below }) => {
  const list = [histogram(data)];
  const scale = new TagScale([list]);
  const { min, max } = scale.edges!;

  it.each(forms)('has an area proportional to its count, everywhere left of a value (behind: %s)', (behind) => {
    const { d } = ridges(list, scale, box, behind)!.paths[0]!;
    const unit = box.height / scale.densest(box.width);
    const count = (pixel: number): number => areaBefore(d, pixel) / unit;
    expect(Math.abs(count(box.width) - total)).toBeLessThan(total / 100);
    // Within the columns at that pixel, plus a hundredth for rounding
    places.forEach((place, i) => {
      const pixel = ((place - min) / (max - min)) * box.width;
      expect(count(pixel - 10)).toBeLessThan(below[i]! + total / 100);
      if (i < places.length - 1) expect(count(pixel + 10)).toBeGreaterThan(below[i]! - total / 100);
    });
  });

  it('never goes back to the left, below its baseline or above the plot', () => {
    const corners = cornersOf(ridges(list, scale, box, true)!.paths[0]!.d);
    corners.forEach(({ x, height }, i) => {
      expect(x).toBeGreaterThanOrEqual(corners[i - 1]?.x ?? 0);
      expect(height).toBeGreaterThanOrEqual(0);
      expect(height).toBeLessThanOrEqual(box.height + 0.01);
    });
  });
});

it.each(logged.filter(({ name }) => name.includes('normal') && !name.includes('lognormal')))(
  'a histogram by $name has one peak',
  ({ data }) => {
    const list = [histogram(data)];
    for (const behind of forms) expect(peaksOf(ridges(list, new TagScale([list]), box, behind)!.paths[0]!.d)).toBe(1);
  },
);

describe('histograms of a tag', () => {
  const narrow = [histogram([0, 1, 100], 1), histogram([0, 1, 50], 2)];
  const wide = [histogram([-10, 10, 100], 1)];
  const scale = new TagScale([narrow, wide]);

  it('share the axis and the height of a count over runs and steps', () => {
    const area = (list: readonly Histogram[], i: number): number => areaBefore(ridges(list, scale, box, false)!.paths[i]!.d, box.width);
    expect(area(narrow, 0)).toBeCloseTo(area(wide, 0), 0);
    expect(area(narrow, 0) / area(narrow, 1)).toBeCloseTo(2, 2);
    const labels = (list: readonly Histogram[]) => ridges(list, scale, box, true)!.x;
    expect(labels(narrow)).toEqual(labels(wide));
  });

  it('show the exact bin at the pointer', () => {
    const list = [histogram([0, 1e-9, 3, 1e-9, 2e-9, 4, 2e-9, 1, 5, 1, 1, 7, 1, 3, 2], 12)];
    const drawing = ridges(list, new TagScale([list]), box, false)!;
    const at = (pixel: number): string => drawing.read(box.left + pixel, 100)!.text;
    expect(at(0)).toBe('step 12: 3 from 0 to 1e-9');
    expect(at(50)).toBe('step 12: 5 from 2e-9 to 1');
    expect(at(100)).toBe('step 12: 7 at 1');
    expect(at(250)).toBe('step 12: 2 from 1 to 3');
  });
});

describe('labels', () => {
  const at = (...steps: (number | string)[]) =>
    stepLabels(steps.map((step) => readHistogram(step, { dtype: 'float64', shape: [0, 3], data: [] })));

  it('of steps are distinct and correct, however large steps are', () => {
    expect(at(0, 1000, 99_999)).toEqual(['0', '1,000', '99,999']);
    expect(at(1_000_000, 1_000_010, 1_000_020)).toEqual(['1.00000M', '1.00001M', '1.00002M']);
    expect(at(1_000_000, 2_000_000)).toEqual(['1M', '2M']);
    expect(at('9007199254740993', 9_007_199_254_740_992)).toEqual(['9,007,199,254,740,993', '9,007,199,254,740,992']);
    expect(at(1_234_567)).toEqual(['1,234,567']);
  });

  it('of values do not overlap or leave the drawing', () => {
    const list = [histogram([1e9, 1e9 + 0.1, 3, 1e9 + 0.1, 1e9 + 0.5, 4])];
    const narrowBox = { ...box, width: 120 };
    const scale = new TagScale([list]);
    for (const { x } of [ridges(list, scale, narrowBox, true)!, percentiles(list, scale, narrowBox)]) expect(x.length).toBeLessThan(3);
    expect(percentileTicks(scale).map(({ label }) => label)).toEqual(['1,000,000,000.0', '1,000,000,000.2', '1,000,000,000.4']);
  });
});

it('percentiles that differ have different labels', () => {
  const list = [histogram([1e9, 1e9 + 1, 4], 7)];
  const read = percentiles(list, new TagScale([list]), box).read(box.left + 150, 50)!;
  const values = read.text.replace('step 7: ', '').split(' · ');
  expect(values).toHaveLength(5);
  expect(new Set(values).size).toBe(5);
});

describe('heat map columns', () => {
  it('contain every value, regardless of the bins', () => {
    const edge = fc.oneof(fc.double({ min: -5, max: 5, noNaN: true }), fc.integer({ min: -5, max: 5 }));
    const bin = fc.record({ left: edge, right: edge, count: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(bin, { maxLength: 30 }), fc.boolean(), (bins, sorted) => {
        const edges = bins.flatMap(({ left, right }) => [left, right]).sort((a, b) => a - b);
        const list = bins.map(({ left, right, count }, i) =>
          sorted
            ? { left: edges[2 * i]!, right: edges[2 * i + 1]!, count }
            : { left: Math.min(left, right), right: Math.max(left, right), count },
        );
        const { edges: sides, counts } = columnsOf(list, { min: -5, max: 5, width: 300 });
        expect(counts.reduce((sum, count) => sum + count, 0)).toBeCloseTo(
          list.reduce((sum, { count }) => sum + count, 0),
          6,
        );
        expect([sides[0], sides.at(-1)]).toEqual([0, 300]);
        counts.forEach((count, i) => {
          if (count > 0) expect(sides[i + 1]! - sides[i]!).toBeGreaterThan(1.9);
        });
      }),
    );
  });
});
