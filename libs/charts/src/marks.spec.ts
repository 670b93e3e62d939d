import { expect, it } from 'vitest';
import { chartLine } from './chart-lines.ts';
import { chartScales } from './chart-scales.ts';
import { marksOf, traceMarks } from './marks.ts';
import { styleRuns } from './run-colors.ts';
import { meanLine } from './mean-line.ts';
import { notFiniteAt, readSeries } from './scalar-series.ts';
import { svgChart } from './svg-chart.ts';
import { plainView } from './view.ts';
import { zoomedLine } from './zoom.ts';

const options = { xAxis: 'step', smoothing: 0 } as const;
const raw = (value: readonly (number | string)[]) =>
  chartLine(
    readSeries({
      run: 'a',
      tag: 't',
      sampling: 'raw',
      source_points: value.length,
      columns: { step: value.map((_, i) => i), wall_time: value.map((_, i) => i), value },
    }),
    options,
  );

it('values that are not finite have a mark at their step, in points and in buckets', () => {
  expect(marksOf(raw([1, 'NaN', 'Infinity', '-Infinity', 2]))).toEqual([
    { index: 1, kind: 'nan' },
    { index: 2, kind: 'up' },
    { index: 3, kind: 'down' },
  ]);
  const columns = {
    step: [0, 10, 20],
    last_step: [9, 19, 29],
    count: [10, 10, 10],
    first: [1, 1, 'NaN'],
    last: [1, 1, 2],
    min: [1, '-Infinity', 1],
    max: [1, 'Infinity', 2],
    wall_time: [0, 10, 20],
  };
  const line = chartLine(readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 30, columns }), options);
  expect(marksOf(line)).toEqual([
    { index: 1, kind: 'up' },
    { index: 1, kind: 'down' },
    { index: 2, kind: 'nan' },
  ]);
});

it('values that are not finite among finite ones have a mark: in a bucket, a zoomed part, a live tail and a mean', () => {
  const columns = {
    step: [0, 10, 20],
    last_step: [9, 19, 29],
    count: [10, 10, 10],
    first: [1, 1, 1],
    last: [1, 1, 2],
    min: [1, 0, '-Infinity'],
    max: [1, 3, 'Infinity'],
    wall_time: [0, 10, 20],
    nan_count: [0, 2, 1],
    inf_count: [0, 0, 1],
    neg_inf_count: [0, 0, 2],
  };
  const series = readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 30, columns });
  const marks = [
    { index: 1, kind: 'nan' },
    { index: 2, kind: 'nan' },
    { index: 2, kind: 'up' },
    { index: 2, kind: 'down' },
  ];
  const line = chartLine(series, options);
  expect(marksOf(line)).toEqual(marks);
  const [part] = [readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 10, columns: first(columns, 2) })];
  const zoomed = zoomedLine(series, part, { ...options, range: { from: 5, to: 25 } });
  expect(marksOf(zoomed).map(({ index, kind }) => [zoomed.x[index], kind])).toContainEqual([19, 'nan']);
  const mean = meanLine('g', [line, chartLine({ ...series, notFinite: null, low: series.value, high: series.value }, options)], 'minmax');
  expect(marksOf(mean)).toEqual(marks);
  expect(notFiniteAt(series, 2)).toEqual({ nan: 1, positive: 1, negative: 2 });
});

const first = (columns: Record<string, (number | string)[]>, count: number) =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(0, count)]));

it('marks are at the edges of the plot, and at the last finite value', () => {
  const line = raw([5, 'NaN', 'Infinity', '-Infinity', 10]);
  const scales = chartScales([line], plainView)!;
  const corners: [number, number][] = [];
  const add = (x: number, y: number): void => void corners.push([x, y]);
  const place = {
    x: (value: number) => scales.x.position(value) * 400,
    y: (value: number) => (1 - scales.y.position(value)) * 200,
    top: 0,
    bottom: 200,
    size: [4, 4] as const,
  };
  traceMarks({ moveTo: add, lineTo: add }, line, place);
  const [nan, up, down] = [corners.slice(0, 4), corners.slice(4, 7), corners.slice(7)];
  const middle = (list: readonly [number, number][], axis: 0 | 1): number =>
    list.reduce((sum, corner) => sum + corner[axis], 0) / list.length;
  expect([nan, up, down].map((list) => middle(list, 0))).toEqual([100, 200, 300].map((at) => expect.closeTo(at, 6)));
  expect(middle(nan, 1)).toBeCloseTo(place.y(5), 6);
  expect([Math.min(...up.map(([, y]) => y)), Math.max(...down.map(([, y]) => y))]).toEqual([1, 199]);
});

it('images have the marks', () => {
  const draw = (value: readonly (number | string)[]): string => {
    const line = raw(value);
    return svgChart([line], chartScales([line], plainView), styleRuns(['a']), plainView, {
      title: 't',
      width: 500,
      height: 300,
      theme: 'light',
    });
  };
  expect(draw([1, 'NaN', 2])).toContain('stroke-width="1.25"');
  expect(draw([1, 2])).not.toContain('stroke-width="1.25"');
});
