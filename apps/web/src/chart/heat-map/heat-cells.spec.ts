import { expect, it } from 'vitest';
import { chartLine, type HeatValue, makeScale, readSeries } from '#charts';
import { heatCells, heatExtent, heatMarks, heatPixels, heatPlaces } from './heat-cells.ts';
import type { HeatRow } from './heat-rows.ts';

type Numbers = readonly (number | string)[];

function rawRow(steps: readonly number[], value: Numbers, tag = 'norm'): HeatRow {
  const columns = { step: steps, value, wall_time: steps };
  const series = readSeries({ run: 'run', tag, sampling: 'raw', source_points: steps.length, columns });
  return { tag, lines: [chartLine(series, { xAxis: 'step', smoothing: 0 })] };
}

interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly min: number | string;
  readonly max: number | string;
  readonly last: number | string;
  readonly nan?: number;
}

function bucketRow(buckets: readonly Bucket[]): HeatRow {
  const column = (of: (bucket: Bucket) => number | string): Numbers => buckets.map(of);
  const series = readSeries({
    run: 'run',
    tag: 'norm',
    sampling: 'buckets',
    source_points: 1000,
    columns: {
      step: column(({ from }) => from),
      last_step: column(({ to }) => to),
      count: column(({ from, to }) => to - from + 1),
      first: column(({ min }) => min),
      last: column(({ last }) => last),
      min: column(({ min }) => min),
      max: column(({ max }) => max),
      wall_time: column(({ from }) => from),
      nan_count: column(({ nan = 0 }) => nan),
      inf_count: column(() => 0),
      neg_inf_count: column(() => 0),
    },
  });
  return { tag: 'norm', lines: [chartLine(series, { xAxis: 'step', smoothing: 0 })] };
}

/** The row of this many pixels for the steps `min` to `max`. */
function pixelsOf(row: HeatRow, [min, max]: readonly [number, number], width: number, value: HeatValue = 'max') {
  const { value: values, mark } = heatPixels(heatCells(row, makeScale('linear', min, max), width), width, value);
  return { values: [...values], mark: [...mark] };
}

it('gives each point the pixels halfway to its neighbors', () => {
  const row = rawRow([0, 1, 2, 3], [5, 1e-30, -7, 0.1]);
  expect(pixelsOf(row, [-0.5, 3.5], 8).values).toEqual([5, 5, 1e-30, 1e-30, -7, -7, 0.1, 0.1]);
  expect(pixelsOf(row, [1, 2], 4).values).toEqual([1e-30, 1e-30, -7, -7]); // Zoomed
  expect(pixelsOf(rawRow([7], [3]), [6, 8], 4).values).toEqual([3, 3, 3, 3]);
});

it('shows the extreme of the points that share a pixel, and none in place of another', () => {
  const values = Array.from({ length: 5_000 }, (_, i) => Math.sin(i / 50) + (i === 3_210 ? 1_000 : 0));
  const row = rawRow(
    values.map((_, step) => step),
    values,
  );
  for (const [kind, extreme] of [
    ['max', Math.max],
    ['min', Math.min],
  ] as const) {
    const { values: drawn } = pixelsOf(row, [0, 4_999], 100, kind);
    drawn.forEach((value, pixel) => {
      // A point on the boundary between two pixels may be drawn in either, depending on rounding
      const inside = values.slice(Math.max(0, pixel * 50 - 1), (pixel + 1) * 50 + 2);
      const surely = values.slice(pixel * 50 + 2, (pixel + 1) * 50 - 2);
      expect(inside).toContain(value);
      expect(extreme(value, ...surely)).toBe(value);
    });
    expect(extreme(...drawn)).toBe(extreme(...values));
  }
  expect(pixelsOf(row, [0, 4_999], 100, 'last').values.at(-1)).toBe(values.at(-1));
});

it('leaves a time without data empty', () => {
  const row = rawRow([0, 1, 2, 3, 20, 21], [1, 2, 3, 4, 5, 6]);
  const { values, mark } = pixelsOf(row, [-0.5, 21.5], 22);
  expect(values.slice(0, 4)).toEqual([1, 2, 3, 4]);
  expect(values.slice(5, 19)).toEqual(Array(14).fill(Number.NaN));
  expect(mark.slice(5, 19)).toEqual(Array(14).fill(heatMarks.nothing));
  expect(values.slice(20)).toEqual([5, 6]);
});

it('marks what is not finite, in points and in buckets', () => {
  const row = rawRow([0, 1, 2, 3], [1, 'NaN', 'Infinity', 2]);
  expect(pixelsOf(row, [-0.5, 3.5], 4)).toEqual({
    values: [1, Number.NaN, Number.NaN, 2],
    mark: [heatMarks.value, heatMarks.allNotFinite, heatMarks.allNotFinite, heatMarks.value],
  });
  expect(pixelsOf(row, [0, 3], 1)).toEqual({ values: [2], mark: [heatMarks.someNotFinite] });
  const buckets = bucketRow([
    { from: 0, to: 9, min: 1, max: 4, last: 2 },
    { from: 10, to: 19, min: 3, max: 8, last: 'NaN', nan: 1 },
    { from: 20, to: 29, min: 'NaN', max: 'NaN', last: 'NaN', nan: 10 },
  ]);
  const mark = [heatMarks.value, heatMarks.someNotFinite, heatMarks.allNotFinite];
  expect(pixelsOf(buckets, [-0.5, 29.5], 3)).toEqual({ values: [4, 8, Number.NaN], mark });
  expect(pixelsOf(buckets, [-0.5, 29.5], 3, 'min')).toEqual({ values: [1, 3, Number.NaN], mark });
});

it('has colors from the smallest to the largest value in view', () => {
  const rows = [rawRow([0, 1, 2, 3], [1, 'NaN', 100, -5]), rawRow([0, 1, 2, 3], ['Infinity', 10, 20, 1_000])];
  const options = { scale: 'linear', value: 'max', ignoreOutliers: false } as const;
  expect(heatExtent(rows, { min: 0, max: 3 }, options)).toEqual({ min: -5, max: 1_000 });
  expect(heatExtent(rows, { min: 0.5, max: 2 }, options)).toEqual({ min: 10, max: 100 });
  expect(heatExtent(rows, { min: 0, max: 3 }, { ...options, scale: 'log' })).toEqual({ min: 1, max: 1_000 });
  expect(heatExtent(rows.slice(0, 1), { min: 1, max: 1 }, options)).toBeNull();
  const many = [
    rawRow(
      Array.from({ length: 101 }, (_, i) => i),
      Array.from({ length: 101 }, (_, i) => (i === 50 ? 1e9 : i)),
    ),
  ];
  expect(heatExtent(many, { min: 0, max: 100 }, { ...options, ignoreOutliers: true })).toEqual({ min: 5, max: 96 });
});

it('places values on a linear or logarithmic scale of colors', () => {
  const linear = heatPlaces('linear', { min: -1, max: 3 });
  expect([-1, 0, 1, 3, 9, -9].map(linear)).toEqual([0, 0.25, 0.5, 1, 1, 0]);
  const log = heatPlaces('log', { min: 0.01, max: 100 });
  expect([0.01, 1, 100, 1e9, 0, -1].map((value) => Math.round(log(value) * 1e9) / 1e9)).toEqual([0, 0.5, 1, 1, Number.NaN, Number.NaN]);
  expect([2, 3, 1].map(heatPlaces('linear', { min: 2, max: 2 }))).toEqual([0.5, 1, 0]);
});
