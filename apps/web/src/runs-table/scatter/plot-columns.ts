import { hasRunPlot, type View } from '#charts';
import type { RunColumn } from '../table-columns.ts';
import type { NumbersOf } from './scatter-axis.ts';

/** Maximum characters in the label of a value. */
export const labelLength = 18;

/** Whether a column can be an axis of the plot or determine its colors. */
export function canBePlotted({ of }: RunColumn): boolean {
  return of !== 'min_step' && of !== 'max_step' && of !== 'at'; // lists of series do not have these
}

/** The part of a view that draws no plot. */
export const noPlot = {
  plotX: '',
  plotY: '',
  plotColor: '',
  plotXScale: 'linear',
  plotYScale: 'linear',
  plotAxes: [],
  plotAxisScales: [],
  importance: '',
} satisfies Partial<View>;

/** The unit of a column's numbers. */
export function numbersOf({ kind }: RunColumn): NumbersOf {
  return kind === 'time' || kind === 'duration' ? kind : 'number';
}

/** Text shortened to a label. */
export function cut(text: string, max = labelLength): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/**
 * A change to the view that hides the plot, or shows the first metric over the first hyperparameter
 * that differs between runs. Null if there is nothing to draw.
 */
export function toggledPlot(view: View, all: readonly RunColumn[], shown: readonly RunColumn[]): Partial<View> | null {
  if (hasRunPlot(view)) return noPlot;
  const columns = [...shown, ...all].filter(canBePlotted);
  const x = columns.find(({ kind, constant }) => kind === 'hparam' && !constant) ?? columns.find(({ kind }) => kind === 'time');
  const y = columns.find(({ kind }) => kind === 'metric') ?? columns.find(({ kind }) => kind === 'duration');
  return x && y ? { plotX: x.key, plotY: y.key } : null;
}
