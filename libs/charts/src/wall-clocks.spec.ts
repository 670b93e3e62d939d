import { describe, expect, it } from 'vitest';
import { type ChartLine, chartLine, entriesAround, nearestTo } from './chart-lines.ts';
import { chartScales } from './chart-scales.ts';
import { meanLine } from './mean-line.ts';
import { readSeries } from './scalar-series.ts';
import { traceLine } from './trace.ts';
import { plainView } from './view.ts';
import { zoomedLine } from './zoom.ts';

const raw = (run: string, step: number[], value: number[], wall_time: number[] = step) =>
  readSeries({ run, tag: 't', sampling: 'raw', source_points: step.length, columns: { step, value, wall_time } });

function cornersOf(line: ChartLine, scales: NonNullable<ReturnType<typeof chartScales>>, size = 100): [number, number][] {
  const corners: [number, number][] = [];
  const add = (x: number, y: number): void => void corners.push([x, y]);
  traceLine({ moveTo: add, lineTo: add }, line.x, line.y, {
    x: (at) => scales.x.position(at) * size,
    y: (at) => scales.y.position(at) * size,
  });
  return corners;
}

describe('a clock that is set back', () => {
  // Six points, a second apart; after the third, the clock is set back by an hour
  const times = [5000, 5001, 5002, 1403, 1404, 1405];
  const series = raw('a', [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], times);

  it.each(['wall', 'relative'] as const)('loses nothing: all points are on the %s axis, in log order', (xAxis) => {
    const line = chartLine(series, { xAxis, smoothing: 0 });
    const scales = chartScales([line], { ...plainView, xAxis })!;
    const origin = xAxis === 'wall' ? 0 : 5000;
    expect([scales.x.min, scales.x.max]).toEqual([1403 - origin, 5002 - origin]);
    expect([scales.y.position(1) > 0, scales.y.position(6) < 1]).toEqual([true, true]);
    expect(cornersOf(line, scales).map(([x]) => x)).toEqual(times.map((time) => scales.x.position(time - origin) * 100));
    expect(times.map((time) => line.y[nearestTo(line.x, time - origin)])).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('shows the points of a zoomed part, wherever they were logged', () => {
    const line = chartLine(series, { xAxis: 'wall', smoothing: 0 });
    const { y } = chartScales([line], { ...plainView, xAxis: 'wall', range: { from: 1400, to: 1410 } })!;
    expect([y.position(4) > 0, y.position(6) < 1, y.position(1) < 0]).toEqual([true, true, true]);
    expect(entriesAround(line.x, 1400, 1410)).toEqual({ from: 2, to: 6 });
  });

  it('keeps its origin in a part: relative times count from the first point of the run', () => {
    const part = raw('a', [3, 4, 5], [4, 5, 6], [1403, 1404, 1405]);
    const whole = { ...series, raw: false };
    const line = zoomedLine(whole, part, { xAxis: 'step', smoothing: 0 });
    expect(line.series.wallTime[0]! - line.origin).toBe(1403 - 5000);
  });

  it('does not change means', () => {
    const [a, b] = [series, raw('b', [0, 1], [10, 10], [1000, 6000])].map((one) => chartLine(one, { xAxis: 'wall', smoothing: 0 }));
    const { x, y } = meanLine('g', [a!, b!], 'std');
    expect([...x]).toEqual([1000, 1403, 1404, 1405, 5000, 5001, 5002, 6000]);
    expect([...y]).toEqual([10, 7, 7.5, 8, 5.5, 6, 6.5, 10]);
  });

  it('skips a time that is not finite, and keeps the others', () => {
    const line = chartLine(raw('a', [0, 1, 2], [1, 2, 3], [10, Number.NaN, 12]), { xAxis: 'wall', smoothing: 0 });
    const { x } = chartScales([line], { ...plainView, xAxis: 'wall' })!;
    expect([x.min, x.max]).toEqual([10, 12]);
  });
});

describe('a line between points outside the view', () => {
  const series = raw('a', [0, 1000], [0, 100]);

  it.each(['linear', 'log', 'symlog'] as const)('crosses the view, and the %s axis shows it', (yScale) => {
    const line = chartLine(raw('a', [0, 1000], [1, 100]), { xAxis: 'step', smoothing: 0 });
    const scales = chartScales([line], { ...plainView, yScale, range: { from: 400, to: 500 } })!;
    const [[x0, y0], [x1, y1]] = cornersOf(line, scales) as [[number, number], [number, number]];
    const at = (x: number): number => y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
    expect(at(0)).toBeGreaterThan(0);
    expect(at(0)).toBeLessThan(at(100));
    expect(at(100)).toBeLessThan(100);
    if (yScale === 'linear')
      expect([scales.y.inverse(scales.y.min), scales.y.max]).toEqual([40.6 - 0.495, 50.5 + 0.495].map((value) => expect.closeTo(value, 6)));
  });

  it('keeps its slope where the points are very far away', () => {
    const line = chartLine(series, { xAxis: 'step', smoothing: 0 });
    const scales = chartScales([line], { ...plainView, range: { from: 500, to: 500.0001 } })!;
    const corners = cornersOf(line, scales);
    expect(Math.max(...corners.flat().map(Math.abs))).toBeLessThanOrEqual(20_001);
    const inside = corners.findIndex(([x], i) => x <= 0 && (corners[i + 1]?.[0] ?? 0) >= 100);
    const [[x0, y0], [x1, y1]] = [corners[inside]!, corners[inside + 1]!];
    expect((y1 - y0) / (x1 - x0)).toBeCloseTo(100 / 110, 3); // a tenth of the height is margin
  });

  it('continues to coarse points where finer data has none', () => {
    const bucket = (step: number, last_step: number, first: number, last: number) => ({ step, last_step, first, last });
    const list = [bucket(0, 99, 0, 9), bucket(500, 599, 50, 59), bucket(900, 999, 90, 99)];
    const whole = readSeries({
      run: 'a',
      tag: 't',
      sampling: 'minmax',
      source_points: 300,
      columns: {
        step: list.map((one) => one.step),
        last_step: list.map((one) => one.last_step),
        first: list.map((one) => one.first),
        last: list.map((one) => one.last),
        min: list.map((one) => one.first),
        max: list.map((one) => one.last),
        count: [100, 100, 100],
        wall_time: [0, 500, 900],
      },
    });
    const options = { xAxis: 'step', smoothing: 0, range: { from: 610, to: 890 } } as const;
    const none = zoomedLine(whole, raw('a', [], []), options);
    const near = nearestTo(none.x, 610);
    expect([none.x[near], none.y[near], none.x[near + 1], none.y[near + 1]]).toEqual([599, 59, 900, 90]);
    const { x, y } = zoomedLine(whole, raw('a', [700], [70]), options);
    expect([[...x], [...y]]).toEqual([
      [599, 700, 900],
      [59, 70, 90],
    ]);
  });
});

it('a logarithmic x axis starts at the first step above 0', () => {
  const columns = {
    step: [0, 100],
    last_step: [99, 199],
    count: [100, 100],
    first: [1, 2],
    last: [2, 3],
    min: [1, 2],
    max: [2, 3],
    wall_time: [0, 100],
  };
  const line = chartLine(readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 200, columns }), {
    xAxis: 'step',
    smoothing: 0,
  });
  expect(chartScales([line], { ...plainView, xScale: 'log' })!.x).toMatchObject({ min: 1, max: 199 });
});
