import type { ChartLine, ChartScales, RunStyle, Theme, XAxis } from '#charts';
import type { Ghost } from './superseded.ts';

/** The content of a plot. */
export interface PlotContent {
  readonly lines: readonly ChartLine[];
  readonly scales: ChartScales;
  readonly styles: ReadonlyMap<string, RunStyle>;
  readonly xAxis: XAxis;
  readonly theme: Theme;
  /** Superseded points, dotted. */
  readonly ghosts: readonly Ghost[];
}

/** Whether two contents differ only in how smoothed their lines are. */
export function differInSmoothing(before: PlotContent, now: PlotContent): boolean {
  const { lines, scales, styles, xAxis, theme, ghosts } = before;
  if (scales !== now.scales || styles !== now.styles || xAxis !== now.xAxis || theme !== now.theme || ghosts !== now.ghosts) return false;
  return (
    lines.length === now.lines.length &&
    lines.every((line, i) => {
      const other = now.lines[i]!;
      return (
        line.series === other.series &&
        line.x === other.x &&
        line.y === other.y &&
        line.run === other.run &&
        line.smoothed !== null &&
        other.smoothed !== null
      );
    })
  );
}
