import { describe, expect, it } from 'vitest';
import { chartLine, shownValues, smoothLines } from './chart-lines.ts';
import { meanLine } from './mean-line.ts';
import { type GroupedRun, groupRuns } from './run-groups.ts';
import { readSeries } from './scalar-series.ts';

const line = (run: string, step: number[], value: number[]) =>
  chartLine(readSeries({ run, tag: 't', sampling: 'raw', source_points: step.length, columns: { step, value, wall_time: step } }), {
    xAxis: 'step',
    smoothing: 0,
  });

describe('the mean of a group', () => {
  const lines = [line('a', [0, 10, 20], [0, 10, 20]), line('b', [0, 20], [4, 24]), line('c', [10], [100])];

  it('includes the runs that reach a step, with straight lines between their points', () => {
    const { x, y, series } = meanLine('g', lines.slice(0, 2), 'minmax');
    expect([...x]).toEqual([0, 10, 20]);
    expect([...y]).toEqual([2, 12, 22]);
    expect([...series.low]).toEqual([0, 10, 20]);
    expect([...series.high]).toEqual([4, 14, 24]);
    expect([...series.count]).toEqual([2, 2, 2]);
    expect([...meanLine('g', lines, 'minmax').series.count]).toEqual([2, 3, 2]);
  });

  it('has one deviation, or the confidence interval of the mean, around it', () => {
    const deviation = Math.sqrt(8);
    expect(meanLine('g', lines.slice(0, 2), 'std').band.high[0]).toBeCloseTo(2 + deviation);
    expect(meanLine('g', lines.slice(0, 2), 'ci').band.low[0]).toBeCloseTo(2 - (12.706205 * deviation) / Math.sqrt(2));
  });

  it('includes every outlier, also where its steps are thinned out', () => {
    const steps = Array.from({ length: 3001 }, (_, step) => step);
    const long = [
      [7, 90],
      [2001, -40],
      [1500, 60],
    ].map(([odd, value], i) =>
      line(
        `r${i}`,
        steps,
        steps.map((step) => (step === odd ? value! : 1 + i / 10)),
      ),
    );
    for (const spread of ['minmax', 'std'] as const) {
      const { series, band, x } = meanLine('g', long, spread);
      expect(x.length).toBeLessThan(steps.length);
      expect([Math.max(...series.high), Math.min(...series.low)]).toEqual([90, -40]);
      for (const [odd, value] of [
        [7, 90],
        [1500, 60],
      ] as const)
        expect(series.high[x.findIndex((at) => at >= odd)]).toBe(value);
      if (spread === 'minmax') expect(band).toEqual({ low: series.low, high: series.high });
    }
  });

  it('has the right deviation for large values that are close together', () => {
    const offset = 1e9;
    const near = [0, 1, 2].map((value) => line(String(value), [0], [offset + value]));
    const { band } = meanLine('g', near, 'std');
    expect(band.high[0]! - band.low[0]!).toBeCloseTo(2, 6);
  });

  it("is smoothed as the mean of its runs' averages of all points", () => {
    const steps = Array.from({ length: 3001 }, (_, step) => step);
    const runs = [1, 3].map((pace) =>
      line(
        `r${pace}`,
        steps,
        steps.map((step) => Math.sin(step / pace)),
      ),
    );
    const [smoothed] = smoothLines([meanLine('g', runs, 'std')], 0.9);
    const [one, other] = smoothLines(runs, 0.9).map(shownValues);
    expect(smoothed!.x.length).toBeLessThan(steps.length);
    smoothed!.x.forEach((step, i) => expect(smoothed!.smoothed![i]).toBeCloseTo((one![step]! + other![step]!) / 2, 12));
  });

  it('skips values that are not finite', () => {
    const { y } = meanLine('g', [line('a', [0, 1], [1, Number.NaN]), line('b', [0, 1], [3, 5])], 'std');
    expect([...y]).toEqual([2, 5]);
  });
});

describe('groups of runs', () => {
  const runs: readonly GroupedRun[] = [
    { run: 'lr=1/seed=1', hparams: { lr: 1 } },
    { run: 'lr=1/seed=1/val', hparams: {} },
    { run: 'lr=2/seed=1', hparams: { lr: 2 } },
    { run: 'other', hparams: {} },
  ];

  it('are what a regular expression captures, otherwise matches', () => {
    expect([...groupRuns('regex:lr=(\\d+)', runs)!.values()]).toEqual(['1', '1', '2', '']);
    expect([...groupRuns('regex:lr=\\d', runs)!.values()]).toEqual(['lr=1', 'lr=1', 'lr=2', '']);
    expect([...groupRuns('regex:((lr', runs)!.values()]).toEqual(['', '', '', '']);
  });

  it('are the values of a hyperparameter, which nested runs inherit', () => {
    expect([...groupRuns('hparam:lr', runs)!.values()]).toEqual(['1', '1', '2', '']);
  });

  it('of seeds and ids show all digits, and different values are different groups', () => {
    const seeds = [12_345_678_901_234_567_168, 1_234_567_891, 0.1, Math.fround(0.1), 'Infinity'].map((seed, i) => ({
      run: String(i),
      hparams: { seed },
    }));
    expect([...groupRuns('hparam:seed', seeds)!.values()]).toEqual([
      '12345678901234567168',
      '1234567891',
      '0.1',
      '0.10000000149011612',
      '∞',
    ]);
  });

  it('are absent without a rule', () => expect(groupRuns('', runs)).toBeNull());
});
