import { join } from 'node:path';
import { comparePictures } from '#testing';
import { type ChartLine, chartLine } from './chart-lines.ts';
import { chartParts } from './chart-parts.ts';
import { chartScales } from './chart-scales.ts';
import type { Extent } from './extent.ts';
import { meanLine } from './mean-line.ts';
import { palettes, styleRuns } from './run-colors.ts';
import { readSeries, type ScalarSeries, type SeriesJson } from './scalar-series.ts';
import { type PictureOptions, svgChart } from './svg-chart.ts';
import { plainView, type View } from './view.ts';
import { styleWriters, writerLines } from './writers.ts';
import { zoomedLine } from './zoom.ts';

/*
 * Charts of fixed series, compared with the files in libs/charts/pictures: their diff shows what a
 * change in the drawing code looks like to users. `UPDATE_PICTURES=1` writes the files.
 */

type Values = readonly (number | string)[];

/** Points at steps 0, 1, 2 …, ten seconds apart, unless `columns` override that. */
function points(values: Values, run = 'run', columns: SeriesJson['columns'] = {}, writer?: number): ScalarSeries {
  const step = values.map((_, i) => i);
  const own = { step, wall_time: step.map((i) => startTime + 10 * i), value: values, ...columns };
  return readSeries({
    run,
    tag: 'loss',
    sampling: 'raw',
    source_points: values.length,
    columns: own,
    ...(writer !== undefined && { writer }),
  });
}

/** 2026-03-01 09:00 UTC. */
const startTime = 1_772_355_600;

/** A falling loss with a ripple; runs differ by their number. */
const loss = (length: number, run = 0): number[] =>
  Array.from({ length }, (_, i) => Math.exp(-i / (8 + 2 * run)) + 0.05 * Math.sin(1.7 * i + run) + 0.1 + 0.02 * run);

const runs = (count: number, length: number): ScalarSeries[] =>
  Array.from({ length: count }, (_, run) => points(loss(length, run), `run ${run}`));

/** Five buckets of a thousand points each, the third with a spike. */
const buckets: SeriesJson['columns'] = {
  step: [0, 1000, 2000, 3000, 4000],
  last_step: [999, 1999, 2999, 3999, 4999],
  count: [1000, 1000, 1000, 1000, 1000],
  first: [2, 1.2, 0.8, 0.6, 0.5],
  last: [1.2, 0.8, 0.6, 0.5, 0.45],
  min: [1.1, 0.7, 0.5, 0.45, 0.4],
  max: [2.2, 1.4, 6, 0.8, 0.6],
  wall_time: [0, 500, 1000, 1500, 2000].map((seconds) => startTime + seconds),
};
const bucketed = (columns: SeriesJson['columns'] = {}, smoothing = 0): ScalarSeries =>
  readSeries({ run: 'run', tag: 'loss', sampling: 'minmax', source_points: 5000, columns: { ...buckets, ...columns } }, smoothing);

type Options = Partial<View & PictureOptions> & { readonly y?: Extent };

/** Unsmoothed, in a small light image, unless `options` override that. */
function draw(series: readonly ScalarSeries[], options: Options = {}): string {
  const view = { ...plainView, smoothing: 0, ...options };
  return drawn(
    writerLines(
      series.map((one) => chartLine(one, view)),
      view.writers,
    ),
    options,
  );
}

function drawn(lines: readonly ChartLine[], options: Options = {}): string {
  const view = { ...plainView, smoothing: 0, ...options };
  const styles = styleWriters(styleRuns(lines.map(({ series }) => series.run)), lines);
  return svgChart(lines, chartScales(lines, view, options.y ?? null), styles, view, {
    title: 'loss',
    width: 480,
    height: 280,
    theme: 'light',
    ...options,
  });
}

/** A group of three runs with different ends. */
const group = [20, 25, 30].map((length, run) => chartLine(points(loss(length, run), `run ${run}`), { xAxis: 'step', smoothing: 0 }));

const finer = bucketed({
  step: [1900, 2100, 2300],
  last_step: [2099, 2299, 2499],
  count: [200, 200, 200],
  first: [0.8, 0.7, 0.7],
  last: [0.7, 0.7, 0.65],
  min: [0.6, 0.6, 0.6],
  max: [0.9, 6, 0.8],
  wall_time: [950, 1050, 1150].map((seconds) => startTime + seconds),
});

comparePictures(join(import.meta.dirname, '../pictures'), {
  'axis-log-steps': () => draw([points(loss(30), 'run', { step: loss(30).map((_, i) => 2 ** i) })], { xScale: 'log' }),
  'axis-log-values': () => draw([points(loss(30).map((value) => value ** 6))], { yScale: 'log' }),
  'axis-log-without-zero-and-negative': () => draw([points([10, 5, 0, 2, 1, -1, 0.5, 0.2])], { yScale: 'log' }),
  'axis-outliers-ignored': () => draw([points([...loss(20), 1e6, ...loss(20)])], { ignoreOutliers: true }),
  'axis-relative-time': () => draw([points(loss(30))], { xAxis: 'relative' }),
  'axis-steps-beyond-2-53': () => draw([points(loss(5), 'run', { step: loss(5).map((_, i) => String(10n ** 18n + 1024n * BigInt(i))) })]),
  'axis-symlog-values': () => draw([points(loss(30).map((_, i) => (i - 15) ** 5))], { yScale: 'symlog' }),
  'axis-tag': () => draw([points(loss(20), 'run', { x: loss(20).map((_, i) => 0.1 * i ** 1.5) })], { xAxis: 'tag:epoch' }),
  'axis-values-close-together': () => draw([points([1e9, 1e9 + 0.1, 1e9 + 0.3, 1e9 + 0.4])]),
  'axis-values-set': () => draw([points(loss(30))], { y: { min: 0.2, max: 0.6 } }),
  'axis-wall-time': () => draw([points(loss(30))], { xAxis: 'wall' }),
  'axis-wall-time-of-days': () =>
    draw([points(loss(9), 'run', { wall_time: loss(9).map((_, i) => startTime + 86_400 * i) })], { xAxis: 'wall' }),
  'buckets-band-and-spike': () => draw([bucketed()]),
  'buckets-not-finite': () => draw([bucketed({ nan_count: [0, 2, 0, 0, 0], inf_count: [0, 0, 0, 1, 0], neg_inf_count: [0, 0, 0, 0, 3] })]),
  'buckets-smoothed-by-the-service': () =>
    draw([bucketed({ smoothed: [1.4, 1.1, 0.9, 0.7, 0.6], smoothed_first: [2, 1.4, 1.1, 0.9, 0.7] }, 0.6)], { smoothing: 0.6 }),
  'buckets-zoomed': () => {
    const range = { from: 1900, to: 2400 };
    return drawn([zoomedLine(bucketed(), finer, { xAxis: 'step', smoothing: 0, range })], { range });
  },
  'group-mean-and-95-percent': () => drawn([meanLine('group', group, 'ci')]),
  'group-mean-and-deviation': () => drawn([meanLine('group', group, 'std')]),
  'group-mean-and-range': () => drawn([meanLine('group', group, 'minmax')]),
  line: () => draw([points(loss(30))]),
  'line-constant': () => draw([points([5, 5, 5, 5])]),
  'line-dark': () => draw([points(loss(30)), points(loss(30, 3), 'other')], { theme: 'dark' }),
  'line-hostile-names': () =>
    draw([points(loss(9), '</text><script>"\'&\u202e'), points(loss(9, 2), 'long '.repeat(40))], { title: '<b>&amp;\u0000' }),
  'line-narrow': () => draw([points(loss(30))], { width: 160, height: 120 }),
  'line-none': () => draw([]),
  'line-not-finite': () => draw([points([1, 'NaN', 3, 'Infinity', 2, '-Infinity', 'NaN', 1, 'NaN'])]),
  'line-one-point': () => draw([points([3])]),
  'line-points-without-neighbors': () => draw([points([1, 'NaN', 3, 'NaN', 5, 4, 'NaN', 2])]),
  'line-smoothed': () => draw([points(loss(40))], { smoothing: 0.8 }),
  'runs-in-a-legend': () => draw(runs(14, 12), { height: 480 }),
  'runs-over-50': () => draw(runs(60, 8), { height: 400 }),
  'runs-over-100': () => draw(runs(120, 6), { height: 400 }),
  'writers-as-lines': () => draw([0, 1, 2].map((writer) => points(loss(20, 3 * writer), 'run', {}, writer))),
  'writers-as-mean': () =>
    draw(
      [0, 1, 2].map((writer) => points(loss(20, 3 * writer), 'run', {}, writer)),
      { writers: 'mean' },
    ),
  'page-parts': () => {
    const lines = runs(3, 30).map((series) => chartLine(series, { ...plainView, smoothing: 0.6 }));
    const parts = chartParts(lines, chartScales(lines, plainView)!, styleRuns(lines.map(({ run }) => run)), plainView, 232);
    const colors = palettes.light.map((color, i) => `.c${i}{stroke:${color};fill:${color}}`).join('');
    return `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="232" font-size="11"><style>${colors}.grid{stroke:#e8e5df}</style>
<svg y="8" height="200">${parts.yLabels}</svg>
<svg x="48" y="8" width="412" height="200">${parts.plot}</svg>
<svg x="48" y="208" width="412" height="24">${parts.xLabels}</svg>
</svg>
`;
  },
});
