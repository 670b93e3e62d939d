import { describe, expect, it } from 'vitest';
import { labelWidth } from './axis-ticks.ts';
import { type ChartLine, chartLine, isRoughlySmoothed, nearestTo, smoothLines } from './chart-lines.ts';
import { chartParts } from './chart-parts.ts';
import { chartScales } from './chart-scales.ts';
import { dashes, styleRuns } from './run-colors.ts';
import { readSeries, type ScalarSeries } from './scalar-series.ts';
import { smooth } from './smoothing.ts';
import { svgChart } from './svg-chart.ts';
import { plainView, type View } from './view.ts';

/** A raw series of these values at steps 0, 1, 2 …, a second apart. */
function raw(values: readonly (number | string)[], run = 'run'): ScalarSeries {
  const step = values.map((_, i) => i);
  return readSeries({
    run,
    tag: 'loss',
    sampling: 'raw',
    source_points: values.length,
    columns: { step, wall_time: step.map((i) => 1.7e9 + i), value: values },
  });
}

const columnsOfBuckets = {
  step: [0, 1000],
  last_step: [999, 1999],
  count: [1000, 1000],
  first: [1, 2],
  last: [2, 3],
  min: [0.5, 1],
  max: [2, 100],
  wall_time: [1.7e9, 1.7e9 + 500],
};

/** Two buckets of a thousand points, the second with a spike. */
const buckets = readSeries({
  run: 'run',
  tag: 'loss',
  sampling: 'minmax',
  source_points: '2000',
  columns: columnsOfBuckets,
});

const line = (series: ScalarSeries, view: Partial<View> = {}): ChartLine => chartLine(series, { ...plainView, ...view });
const scalesOf = (lines: readonly ChartLine[], view: Partial<View> = {}) => chartScales(lines, { ...plainView, ...view });

describe('lines', () => {
  it('show buckets at their last step, or at their first wall time', () => {
    expect([...line(buckets, { smoothing: 0 }).x]).toEqual([999, 1999]);
    expect([...line(buckets, { smoothing: 0 }).y]).toEqual([2, 3]);
    expect([...line(buckets, { xAxis: 'relative', smoothing: 0 }).x]).toEqual([0, 500]);
    expect([...line(buckets, { xAxis: 'wall', smoothing: 0 }).y]).toEqual([1, 2]);
    expect(line(buckets, { smoothing: 0 }).smoothed).toBeNull();
  });

  it('of a zoomed part count relative time from the start of the whole', () => {
    const whole = raw([1, 2, 3, 4, 5, 6]);
    const part = { ...whole, wallTime: whole.wallTime.slice(3), step: whole.step.slice(3), value: whole.value.slice(3) };
    expect([...chartLine(part, { ...plainView, xAxis: 'relative' }, whole).x]).toEqual([3, 4, 5]);
  });

  it("show the service's averages of all points, and smooth buckets only without them", () => {
    const asked = (columns: Record<string, number[]>) =>
      readSeries({ run: 'run', tag: 'loss', sampling: 'minmax', source_points: 2000, columns: { ...columnsOfBuckets, ...columns } }, 0.6);
    const exact = asked({ smoothed: [1.5, 2.5], smoothed_first: [1, 2.25] });
    expect([...line(exact).smoothed!]).toEqual([1.5, 2.5]);
    expect([...line(exact, { xAxis: 'wall' }).smoothed!]).toEqual([1, 2.25]);
    expect(isRoughlySmoothed(line(exact))).toBe(false);
    const [withOther] = smoothLines([line(exact)], 0.9); // until these have come
    expect([...withOther!.smoothed!]).toEqual([...smooth(Float64Array.of(2, 3), 0.9)]);
    expect(isRoughlySmoothed(line(asked({})))).toBe(true);
  });

  it('are hit at the nearest point', () => {
    const { x } = line(raw([1, 2, 3]));
    expect([-5, 0.4, 0.6, 1, 9].map((at) => nearestTo(x, at))).toEqual([0, 0, 1, 1, 2]);
    expect(nearestTo(new Float64Array(), 1)).toBe(-1);
  });

  it('keep steps beyond 2^53 as they were logged', () => {
    const { exactStep } = readSeries({
      run: '',
      tag: '',
      sampling: 'raw',
      source_points: 1,
      columns: { step: ['9223372036854775807'], wall_time: [1], value: ['NaN'] },
    });
    expect(exactStep).toEqual(['9223372036854775807']);
    expect(raw([1]).exactStep).toBeNull();
  });
});

describe('scales', () => {
  it('show every spike of a bucket', () => {
    const scales = scalesOf([line(buckets)])!;
    expect(scales.y.position(100)).toBeLessThan(1);
    expect(scales.y.position(0.5)).toBeGreaterThan(0);
    expect([scales.x.min, scales.x.max]).toEqual([0, 1999]);
  });

  it('leave out the outer 5 % on request', () => {
    const values = Array.from({ length: 100 }, (_, i) => i % 10);
    values[50] = 1e6;
    expect(scalesOf([line(raw(values), { smoothing: 0 })], { ignoreOutliers: true })!.y.max).toBeLessThan(12);
    expect(scalesOf([line(raw(values), { smoothing: 0 })])!.y.max).toBeGreaterThan(1e6);
  });

  it('fit the visible part', () => {
    const lines = [line(raw([100, 1, 2, 1, 100]), { smoothing: 0 })];
    const { x, y } = scalesOf(lines, { range: { from: 1, to: 3 } })!;
    expect([x.min, x.max]).toEqual([1, 3]);
    expect(y.max).toBeLessThan(2.2);
  });

  it('center a constant and a single point, and skip what is not finite', () => {
    const constant = scalesOf([line(raw([5, 5, 5]))])!;
    expect(constant.y.position(5)).toBeCloseTo(0.5, 9);
    const one = scalesOf([line(raw([3]))])!;
    expect(one.x.position(0)).toBeCloseTo(0.5, 9);
    expect(scalesOf([line(raw(['NaN', 1, 'Infinity', 2]))])!.y.max).toBeLessThan(3);
    expect(scalesOf([line(raw(['NaN']))])).toBeNull();
    expect(scalesOf([])).toBeNull();
  });

  it('of a logarithmic axis cover values above 0', () => {
    const { y } = scalesOf([line(raw([-5, 0, 0.1, 10]), { smoothing: 0 })], { yScale: 'log' })!;
    expect(y.min).toBeGreaterThan(0.05);
    expect(y.max).toBeLessThan(20);
    expect(scalesOf([line(raw([-5, 0]))], { yScale: 'log' })).toBeNull();
  });

  it('show the chosen part of the y axis if the scale can', () => {
    const lines = [line(raw([1, 5, 100]), { smoothing: 0 })];
    expect(chartScales(lines, plainView, { min: -1, max: 6 })!.y).toMatchObject({ min: -1, max: 6 });
    expect(chartScales(lines, { ...plainView, yScale: 'log' }, { min: -1, max: 6 })!.y.max).toBeGreaterThan(100);
    expect(chartScales(lines, { ...plainView, yScale: 'log' }, { min: 2, max: 6 })!.y).toMatchObject({ min: 2, max: 6 });
  });

  it('of a part of the x axis cover the smoothed line', () => {
    const values = Array.from({ length: 200 }, (_, i) => 100 * 0.9 ** i);
    const lines = [line(raw(values), { smoothing: 0.9 })];
    const { y } = scalesOf(lines, { range: { from: 50, to: 100 } })!;
    expect(y.max).toBeGreaterThan(lines[0]!.smoothed![50]!);
    expect(lines[0]!.smoothed![50]!).toBeGreaterThan(2 * values[50]!);
  });

  it('of a constant line are the same for each part of it', () => {
    const whole = scalesOf([line(raw(Array.from({ length: 1000 }, () => 0.1)))])!.y;
    for (let from = 1; from < 990; from += 7.3)
      expect(scalesOf([line(raw(Array.from({ length: 1000 }, () => 0.1)))], { range: { from, to: from + 5.7 } })!.y).toMatchObject({
        min: expect.closeTo(whole.min, 12),
        max: expect.closeTo(whole.max, 12),
      });
  });

  it('of wall times are linear, whatever the scale of steps', () => {
    expect(scalesOf([line(raw([1, 2, 3]), { xAxis: 'wall' })], { xAxis: 'wall', xScale: 'log' })!.x.kind).toBe('linear');
  });
});

describe('images', () => {
  const hostile = `</svg><script>alert(1)</script>"'&\u202e\u0000`;
  const lines = [line(buckets), line(raw([1, 'NaN', 3, 'NaN', 5], hostile))];
  const scales = scalesOf(lines)!;
  const styles = styleRuns(lines.map(({ run }) => run));
  const draw = (of: readonly ChartLine[]): string =>
    svgChart(of, of.length > 0 ? scales : null, styles, plainView, { title: hostile, width: 600, height: 400, theme: 'light' });

  it('contain no foreign markup', () => {
    for (const text of [draw(lines), JSON.stringify(chartParts(lines, scales, styles, plainView, 200))]) {
      expect(text).not.toMatch(/<script|\u202e|\u0000|style=/);
    }
    expect(draw(lines)).toContain('&lt;/svg&gt;&lt;script&gt;');
  });

  it('draw the band of buckets, and dots for isolated points', () => {
    expect(draw(lines)).toMatch(/fill-opacity="0\.14" stroke-opacity="0" d="M/);
    expect(draw(lines).match(/stroke-linecap="round"/g)).toHaveLength(2); // logged, and smoothed
  });

  it.each([
    [1e18, 1024],
    [0, 1e15],
    [1e9, 7],
  ])('of steps from %d, %d apart, have distinct labels that are not cut', (first, apart) => {
    const steps = Array.from({ length: 5 }, (_, i) => String(BigInt(first) + BigInt(i * apart)));
    const columns = { step: steps, wall_time: steps.map((_, i) => i), value: steps.map((_, i) => 1e9 + 0.1 * i) };
    const series = readSeries({ run: 'a', tag: 't', sampling: 'raw', source_points: 5, columns });
    for (const width of [320, 640, 1200]) {
      const svg = svgChart([line(series)], scalesOf([line(series)]), new Map(), plainView, {
        title: '',
        width,
        height: 300,
        theme: 'light',
      });
      const texts = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"( text-anchor="(\w+)")?[^>]*>([^<]+)</g)].filter(
        ([, , , , anchor]) => anchor,
      );
      const labels = texts.map(([, , , , , label]) => label);
      expect(labels.length).toBeGreaterThan(3);
      expect(new Set(labels).size).toBe(labels.length);
      expect(labels).toEqual(expect.arrayContaining(['1,000,000,000.0', '1,000,000,000.2', '1,000,000,000.4']));
      for (const [, x, , , anchor, label = ''] of texts) {
        const half = anchor === 'middle' ? labelWidth(label) / 2 : labelWidth(label);
        expect(Number(x) - half).toBeGreaterThanOrEqual(0);
        if (anchor === 'middle') expect(Number(x) + half).toBeLessThanOrEqual(width);
      }
    }
  });

  it('of many lines join equal styles in one thin path, and of very many leave out the raw lines', () => {
    const drawMany = (length: number): string => {
      const many = Array.from({ length }, (_, i) => line(raw([i, i + 1, 'NaN', i], `run ${i}`)));
      const options = { title: '', width: 600, height: 400, theme: 'light' } as const;
      return svgChart(many, scalesOf(many), styleRuns(many.map(({ run }) => run)), plainView, options);
    };
    const text = drawMany(101);
    const paths = [...text.matchAll(/<path ([^>]*)stroke-width="1" [^>]*d="([^"]*)"/g)];
    const looks = 10 * dashes.length; // ten colors
    expect(paths.length).toBe(looks * 2); // logged, and smoothed
    expect(paths.reduce((sum, [, , d]) => sum + d!.split('M').length - 1, 0)).toBe(2 * 2 * 101); // each line, and where it restarts
    expect(text).not.toContain('stroke-width="1.5"');
    expect(drawMany(201).match(/stroke-width="1" /g)).toHaveLength(looks);
  });

  it('say so when they are empty', () => {
    expect(draw([])).toContain('No points to show');
    const odd = (value: number) => [
      { ...lines[0]!, series: { ...lines[0]!.series, low: Float64Array.of(value), high: Float64Array.of(value), sourcePoints: 50 } },
    ];
    expect(svgChart(odd(Number.NaN), null, styles, plainView, { title: 'odd', width: 600, height: 400, theme: 'light' })).toContain(
      'All values are NaN (50 points).',
    );
    expect(svgChart(odd(Infinity), null, styles, plainView, { title: 'odd', width: 600, height: 400, theme: 'light' })).toContain(
      'No value is finite (50 points).',
    );
  });

  it('of a page have colors by class, and labels outside the plot that stretches', () => {
    const { plot, xLabels, yLabels } = chartParts(lines, scales, styles, plainView, 200);
    expect(plot).toMatch(/^<svg class="plot" viewBox="0 0 1000 168" preserveAspectRatio="none"/);
    expect(plot).toMatch(/class="c[0-9]"/);
    expect(plot).not.toContain('#');
    expect(xLabels).toContain('%"');
    expect(yLabels).toContain('text-anchor="end"');
  });
});
