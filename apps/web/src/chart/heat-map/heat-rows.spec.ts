import { expect, it } from 'vitest';
import { chartLine, readSeries } from '#charts';
import { heatAxis, heatRows, specialValues } from './heat-rows.ts';

/** A line of raw points, ten steps apart. */
function lineOf(tag: string, values: readonly (number | string)[]) {
  const steps = values.map((_, i) => i * 10);
  const columns = { step: steps, wall_time: steps, value: values };
  return chartLine(readSeries({ run: 'run', tag, sampling: 'raw', source_points: values.length, columns }), {
    xAxis: 'step',
    smoothing: 0,
  });
}

it('has a row for each tag with points, in natural order', () => {
  const lines = [lineOf('norm/10', [1]), lineOf('norm/2', [2]), lineOf('norm/2', [3]), lineOf('norm/3', [])];
  const rows = heatRows(['norm/10', 'norm/3', 'norm/2', 'norm/1'], lines);
  expect(rows.map(({ tag, lines: own }) => [tag, own.length])).toEqual([
    ['norm/2', 2],
    ['norm/10', 1],
  ]);
});

it('reaches half a cell beyond the first and the last step', () => {
  const lines = [lineOf('a', [1, 2, 3]), lineOf('b', [1])];
  expect(heatAxis(lines, 'linear', null)).toMatchObject({ kind: 'linear', min: -5, max: 25 });
});

it('shows the selected range, and nothing without points', () => {
  const lines = [lineOf('a', [1, 2, 3])];
  expect(heatAxis(lines, 'linear', { from: 3, to: 12 })).toMatchObject({ min: 3, max: 12 });
  expect(heatAxis(lines, 'log', null)).toMatchObject({ kind: 'log', min: 10, max: 20 });
  expect(heatAxis([], 'linear', null)).toBeNull();
});

it('knows whether the visible part has values without a color', () => {
  const rows = heatRows(['a'], [lineOf('a', [1, 'NaN', -2, 3])]);
  expect(specialValues(rows, { min: 0, max: 30 })).toEqual({ notFinite: true, low: true });
  expect(specialValues(rows, { min: 5, max: 15 })).toEqual({ notFinite: true, low: false });
  expect(specialValues(rows, { min: 15, max: 30 })).toEqual({ notFinite: false, low: true });
  expect(specialValues(rows, { min: 25, max: 30 })).toEqual({ notFinite: false, low: false });
});
