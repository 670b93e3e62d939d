import { maxPlotAxes, type View } from '#charts';
import { canBePlotted, noPlot, toggledPlot } from '../scatter/plot-columns.ts';
import type { RunColumn } from '../table-columns.ts';

/** Maximum number of hyperparameter axes in a new plot. */
const firstHparams = 6;

/** The axes of a new plot: the hyperparameters that differ, then the most informative metric. */
export function firstAxes(all: readonly RunColumn[], shown: readonly RunColumn[]): string[] {
  const columns = [...new Set([...shown, ...all])].filter(canBePlotted);
  const hparams = columns.filter(({ kind, constant }) => kind === 'hparam' && !constant).slice(0, firstHparams);
  const metric = columns.find(({ kind }) => kind === 'metric');
  return [...hparams, ...(metric ? [metric] : [])].map(({ key }) => key).slice(0, maxPlotAxes);
}

/** The key of an axis condition. Undefined if a range cannot filter the axis. */
export function rangeKey({ key, where }: RunColumn): string | undefined {
  return key === 'labels' ? undefined : where; // a run has several labels
}

/** A change to the view that draws parallel coordinates. */
export function asParallel(view: View, all: readonly RunColumn[], shown: readonly RunColumn[]): Partial<View> {
  const axes = firstAxes(all, shown);
  const metric = all.find(({ key, kind }) => key === axes.at(-1) && kind === 'metric');
  return { ...noPlot, plotAxes: axes, plotColor: view.plotColor === '' ? (metric?.key ?? '') : view.plotColor };
}

/** The kind of plot above the run table. */
export function kindOf({ plotAxes, importance }: Pick<View, 'plotAxes' | 'importance'>): 'scatter' | 'parallel' | 'importance' {
  return plotAxes.length > 0 ? 'parallel' : importance !== '' ? 'importance' : 'scatter';
}

/**
 * A change to the view that rates hyperparameters, for the metric of the current plot if it has
 * one. Null if there is no metric.
 */
export function asImportance(view: View, all: readonly RunColumn[], shown: readonly RunColumn[]): Partial<View> | null {
  const metrics = [...shown, ...all].filter((column) => column.kind === 'metric' && canBePlotted(column));
  const present = [view.plotY, view.plotAxes.at(-1), view.plotColor];
  const metric = metrics.find(({ key }) => present.includes(key)) ?? metrics[0];
  return metric && all.some(({ kind, constant }) => kind === 'hparam' && !constant) ? { ...noPlot, importance: metric.key } : null;
}

/**
 * A change to the view that draws a scatter plot of the first and the last axis, or of the metric
 * of the importance plot.
 */
export function asScatter(view: View, all: readonly RunColumn[], shown: readonly RunColumn[]): Partial<View> | null {
  const { plotAxes: axes, plotColor } = view;
  if (axes.length === 0) {
    const change = toggledPlot({ ...view, ...noPlot }, all, shown);
    return change && { ...noPlot, ...change, ...(view.importance !== '' && { plotY: view.importance }) };
  }
  const scaleOf = (key: string): View['plotXScale'] => view.plotAxisScales.find((one) => one.key === key)?.kind ?? 'linear';
  const [x, y] = [axes[0]!, axes.at(-1)!];
  return { ...noPlot, plotX: x, plotY: y, plotColor, plotXScale: scaleOf(x), plotYScale: scaleOf(y) };
}
