import { type ChartLine, chartLine, plainView, readSeries } from '#charts';

/**
 * A line of raw points as logged, `every` steps and one second apart. Values that JSON numbers
 * cannot represent are strings: `'NaN'`, `'Infinity'`.
 */
export function rawLine(run: string, values: readonly (number | string)[], every = 10): ChartLine {
  const columns = { step: values.map((_, i) => i * every), wall_time: values.map((_, i) => i), value: values };
  return chartLine(readSeries({ run, tag: 't', sampling: 'raw', source_points: values.length, columns }), { ...plainView, smoothing: 0 });
}
