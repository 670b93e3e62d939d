import { mostPlotAxes, type View } from '#charts';
import { canBePlotted, noPlot } from '../scatter/plot-columns.ts';
import type { RunColumn } from '../table-columns.ts';

/** Hyperparameters among the axes of a new plot. */
const firstHparams = 6;

/** The axes of a new plot: the hyperparameters that differ, then the metric that says most. */
export function firstAxes(all: readonly RunColumn[], shown: readonly RunColumn[]): string[] {
  const columns = [...new Set([...shown, ...all])].filter(canBePlotted);
  const hparams = columns.filter(({ kind, constant }) => kind === 'hparam' && !constant).slice(0, firstHparams);
  const metric = columns.find(({ kind }) => kind === 'metric');
  return [...hparams, ...(metric ? [metric] : [])].map(({ key }) => key).slice(0, mostPlotAxes);
}

/** The key of the condition of an axis; undefined: it cannot be filtered by a range. */
export function rangeKey({ key, where }: RunColumn): string | undefined {
  return key === 'labels' ? undefined : where; // a run has several labels
}

/** A change of the view that draws parallel coordinates. */
export function asParallel(view: View, all: readonly RunColumn[], shown: readonly RunColumn[]): Partial<View> {
  const axes = firstAxes(all, shown);
  const metric = all.find(({ key, kind }) => key === axes.at(-1) && kind === 'metric');
  return { ...noPlot, plotAxes: axes, plotColor: view.plotColor === '' ? (metric?.key ?? '') : view.plotColor };
}

/** A change of the view that draws the first and the last axis as a scatter plot. */
export function asScatter(view: View): Partial<View> {
  const { plotAxes: axes, plotColor } = view;
  const kindOf = (key: string): View['plotXScale'] => view.plotAxisScales.find((one) => one.key === key)?.kind ?? 'linear';
  const [x, y] = [axes[0]!, axes.at(-1)!];
  return { ...noPlot, plotX: x, plotY: y, plotColor, plotXScale: kindOf(x), plotYScale: kindOf(y) };
}
