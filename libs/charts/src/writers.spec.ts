import { expect, it } from 'vitest';
import { chartLine } from './chart-lines.ts';
import { styleRuns } from './run-colors.ts';
import { readSeries } from './scalar-series.ts';
import { seriesKey, styleWriters, writerLines } from './writers.ts';

const line = (run: string, writer: number | undefined, value: number[]) => {
  const step = value.map((_, i) => i);
  const series = readSeries({
    run,
    tag: 't',
    ...(writer !== undefined && { writer }),
    sampling: 'raw',
    source_points: step.length,
    columns: { step, value, wall_time: step },
  });
  return chartLine(series, { xAxis: 'step', smoothing: 0 });
};
const lines = [line('eval', 0, [5]), line('train', 0, [1, 2]), line('train', 1, [3, 6])];

it("gives each writer of a run a line in the run's color, and other runs their own color", () => {
  const drawn = writerLines(lines, 'lines');
  expect(drawn.map(({ run, y }) => [run, ...y])).toEqual([
    ['eval', 5],
    ['train · writer 0', 1, 2],
    ['train · writer 1', 3, 6],
  ]);
  const styles = styleRuns(['eval', 'train']);
  const all = styleWriters(styles, drawn);
  const [first, second] = [all.get('train · writer 0')!, all.get('train · writer 1')!];
  expect([first.color, second.color]).toEqual([styles.get('train')!.color, styles.get('train')!.color]);
  expect(first.dash).not.toBe(second.dash);
  expect(all.get('eval')).toBe(styles.get('eval'));
  expect(new Set(lines.map(({ series }) => seriesKey(series))).size).toBe(3);
});

it('gives their mean on request', () => {
  const drawn = writerLines(lines, 'mean');
  expect(drawn.map(({ run, y, members }) => [run, members, ...y])).toEqual([
    ['eval', 1, 5],
    ['train', 2, 2, 4],
  ]);
  expect(writerLines([line('train', undefined, [1])], 'mean')[0]!.members).toBe(1);
});
