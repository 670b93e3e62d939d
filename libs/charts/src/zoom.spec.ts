import { describe, expect, it } from 'vitest';
import { readSeries, type ScalarSeries } from './scalar-series.ts';
import { holdsSteps, stepJson, stepsWanted, zoomedLine } from './zoom.ts';

/** Buckets of `each` points, one second per step. */
function bucketsOf(values: readonly number[], each: number, from = 0, start = 100): ScalarSeries {
  const step = values.map((_, i) => from + i * each);
  return readSeries({
    run: 'a',
    tag: 't',
    sampling: 'minmax',
    source_points: values.length * each,
    columns: {
      step,
      last_step: step.map((first) => first + each - 1),
      count: values.map(() => each),
      first: values,
      last: values,
      min: values,
      max: values,
      wall_time: step.map((first) => start + first),
    },
  });
}

const raw = readSeries({
  run: 'b',
  tag: 't',
  sampling: 'raw',
  source_points: 2,
  columns: { step: [1, 2], wall_time: [1, 2], value: [1, 2] },
});
const long = bucketsOf(
  Array.from({ length: 40 }, (_, i) => i),
  100,
);

describe('a zoomed chart requests', () => {
  it('the visible steps, and some beyond', () => {
    expect(stepsWanted({ from: 1000, to: 1400 }, 'step', [long])).toEqual({ from: 900, to: 1500 });
    expect(stepsWanted({ from: -1e300, to: 1e300 }, 'step', [long])).toEqual({
      from: -(2 ** 63),
      to: 2 ** 63,
    });
    expect([-1e300, 2 ** 63, 1e18 + 1024, 2 ** 53, 12].map(stepJson)).toEqual([
      '-9223372036854775808',
      '9223372036854775807',
      '1000000000000001024',
      '9007199254740992',
      12,
    ]);
  });

  it('the steps in a range of another axis, rounded outward', () => {
    const steps = stepsWanted({ from: 1000, to: 1400 }, 'relative', [long])!;
    expect(holdsSteps(steps, { from: 900, to: 1500 })).toBe(true);
    expect(holdsSteps({ from: 600, to: 1900 }, steps)).toBe(true);
    expect(stepsWanted({ from: 1100, to: 1500 }, 'wall', [long])).toEqual(steps);
  });

  it('the same steps while a run grows at the visible end', () => {
    const grown = bucketsOf(
      Array.from({ length: 42 }, (_, i) => i),
      100,
    );
    const range = { from: 3000, to: 5000 };
    expect(stepsWanted(range, 'relative', [long])).toEqual({ from: expect.any(Number), to: null });
    expect(stepsWanted(range, 'relative', [grown])).toEqual(stepsWanted(range, 'relative', [long]));
  });

  it('nothing finer where every point is loaded, or nothing is zoomed', () => {
    expect(stepsWanted({ from: 1, to: 2 }, 'step', [raw])).toBeNull();
    expect(stepsWanted(null, 'step', [long])).toBeNull();
    expect(stepsWanted({ from: 1, to: 2 }, 'relative', [bucketsOf([], 1)])).toBeNull();
  });
});

it('a range of steps contains another', () => {
  const [whole, tail] = [
    { from: 0, to: 10 },
    { from: 5, to: null },
  ] as const;
  expect([holdsSteps(whole, { from: 0, to: 10 }), holdsSteps(whole, tail), holdsSteps(tail, { from: 5, to: 99 })]).toEqual([
    true,
    false,
    true,
  ]);
  expect([holdsSteps(tail, { from: 4, to: 6 }), holdsSteps(whole, { from: 0, to: 11 })]).toEqual([false, false]);
});

describe('a line of a zoomed chart', () => {
  const fine = bucketsOf([15, 16, 17], 10, 1500, 100);
  const options = { xAxis: 'relative', smoothing: 0.6 } as const;

  it('is as fine as its part, and is positioned and smoothed like the whole', () => {
    const line = zoomedLine(long, fine, options);
    expect([...line.x]).toEqual([1500, 1510, 1520]);
    const weight = 0.6 ** (10 / 100);
    expect(line.smoothed![1]).toBeCloseTo((15 * weight * (1 - weight) + 16 * (1 - weight)) / (1 - weight ** 2), 9);
  });

  it('is the whole without a part, or without anything finer', () => {
    expect(zoomedLine(long, undefined, options).x).toHaveLength(40);
    expect(zoomedLine(raw, fine, options).series).toBe(raw);
    expect(zoomedLine(long, bucketsOf([], 1), options).series).toBe(long);
  });
});
