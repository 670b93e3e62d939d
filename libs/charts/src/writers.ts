import type { ChartLine } from './chart-lines.ts';
import { meanLine } from './mean-line.ts';
import { dashes, type RunStyle } from './run-colors.ts';
import type { ScalarSeries } from './scalar-series.ts';
import type { WritersForm } from './view.ts';

/** What tells a series apart from the others of its tag. */
export function seriesKey({ run, writer }: Pick<ScalarSeries, 'run' | 'writer'>): string {
  return writer === null ? run : JSON.stringify([run, writer]);
}

/**
 * The lines of runs that several writers logged at the same time, whatever these are called: a line for each writer, named by its number, or their mean.
 * Runs of one writer stay as they are.
 */
export function writerLines(lines: readonly ChartLine[], form: WritersForm): ChartLine[] {
  return [...Map.groupBy(lines, ({ run }) => run)].flatMap(([run, group]) => {
    if (group.length === 1) return group;
    if (form === 'mean') return [meanLine(run, group, 'minmax')];
    return group.map((line) => ({ ...line, run: writerName(line.series) }));
  });
}

/** What the line of one of several writers is called. */
export function writerName({ run, writer }: Pick<ScalarSeries, 'run' | 'writer'>): string {
  return `${run} · writer ${writer}`;
}

/** Styles for lines of writers as well: the colours of their runs, and dashes of their own. `base`: what the line of a series is called when it has one writer. */
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
