import type { ChartLine, ChartScales, RunStyle, Theme, XAxis } from '#charts';
import type { Ghost } from './superseded.ts';

/** What a plot shows. */
export interface PlotContent {
  readonly lines: readonly ChartLine[];
  readonly scales: ChartScales;
  readonly styles: ReadonlyMap<string, RunStyle>;
  readonly xAxis: XAxis;
  readonly theme: Theme;
  /** Superseded points, dotted. */
  readonly ghosts: readonly Ghost[];
}
