import type { ChartLine } from './chart-lines.ts';
import { meanLine } from './mean-line.ts';
import { dashes, type RunStyle } from './run-colors.ts';
import type { ScalarSeries } from './scalar-series.ts';
import type { WritersForm } from './view/lines.ts';

/** Distinguishes a series from other series with the same tag. */
export function seriesKey({ run, writer }: Pick<ScalarSeries, 'run' | 'writer'>): string {
  return writer === null ? run : JSON.stringify([run, writer]);
}

/**
 * The lines of runs that several writers logged at the same time: one line per writer, named by its
 * number, or their mean. Runs with one writer remain unchanged.
 */
export function writerLines(lines: readonly ChartLine[], form: WritersForm): ChartLine[] {
  return [...Map.groupBy(lines, ({ run }) => run)].flatMap(([run, group]) => {
    if (group.length === 1) return group;
    if (form === 'mean') return [meanLine(run, group, 'minmax')];
    return group.map((line) => ({ ...line, run: writerName(line.series) }));
  });
}

/** The line name for one of several writers. */
export function writerName({ run, writer }: Pick<ScalarSeries, 'run' | 'writer'>): string {
  return `${run} · writer ${writer}`;
}

/**
 * Adds styles for writers' lines: the colors of their runs, with separate dashes. `base`: the line
 * name for a series with a single writer.
 */
export function styleWriters(
  styles: ReadonlyMap<string, RunStyle>,
  lines: readonly ChartLine[],
  base: (series: ScalarSeries) => string = ({ run }) => run,
): ReadonlyMap<string, RunStyle> {
  const more = lines.flatMap(({ run, series }): [string, RunStyle][] => {
    const style = styles.get(base(series)) ?? styles.get(series.run);
    return styles.has(run) || series.writer === null || !style
      ? []
      : [[run, { ...style, dash: (style.dash + series.writer) % dashes.length }]];
  });
  return more.length === 0 ? styles : new Map([...styles, ...more]);
}
