import { type ScaleKind, scaleKinds } from '../scale.ts';
import { type Fields, oneOf, repeated, text, unique } from './field.ts';

/** Maximum number of axes in parallel coordinates: with more, lines cannot be distinguished. */
export const maxPlotAxes = 12;

/** The scale chosen for an axis of the parallel coordinates. */
export interface AxisScale {
  readonly key: string;
  readonly kind: ScaleKind;
}

/** The plot above the runs table. */
export interface RunPlotsView {
  /** The columns of the scatter plot; no plot if either is empty. */
  readonly plotX: string;
  readonly plotY: string;
  /** The column that colors the points; if empty, all points have the same color. */
  readonly plotColor: string;
  readonly plotXScale: ScaleKind;
  readonly plotYScale: ScaleKind;
  /** The columns of the parallel coordinates, in order; empty for none. */
  readonly plotAxes: readonly string[];
  /** The axes with a chosen scale. */
  readonly plotAxisScales: readonly AxisScale[];
  /** The column that hyperparameters are rated for; empty for none. */
  readonly importance: string;
}

export const runPlotsFields: Fields<RunPlotsView> = {
  plotX: text('plotX'),
  plotY: text('plotY'),
  plotColor: text('plotColor'),
  plotXScale: oneOf('plotXScale', scaleKinds),
  plotYScale: oneOf('plotYScale', scaleKinds),
  plotAxes: repeated<string>(
    'plotAxis',
    (texts) =>
      unique(texts)
        .filter((key) => key !== '')
        .slice(0, maxPlotAxes),
    (key) => key,
  ),
  plotAxisScales: repeated('plotAxisScale', readAxisScales, ({ key, kind }) => `${kind}:${key}`),
  importance: text('importance'),
};

/** Parses scales in a URL: `log:KEY`; if there are several for an axis, uses the first. */
function readAxisScales(texts: readonly string[]): AxisScale[] {
  const scales = new Map<string, AxisScale>();
  for (const one of texts) {
    const colon = one.indexOf(':');
    const [kind, key] = [scaleKinds.find((known) => known === one.slice(0, colon)), one.slice(colon + 1)];
    if (kind !== undefined && key !== '' && !scales.has(key)) scales.set(key, { key, kind });
  }
  return [...scales.values()];
}

/** Whether a plot of runs is shown above the runs table. */
export function hasRunPlot({
  plotX,
  plotY,
  plotAxes,
  importance,
}: Pick<RunPlotsView, 'plotX' | 'plotY' | 'plotAxes' | 'importance'>): boolean {
  return plotAxes.length > 0 || importance !== '' || (plotX !== '' && plotY !== '');
}
