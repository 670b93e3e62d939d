import { type ScaleKind, scaleKinds } from '../scale.ts';
import { readXAxis, type XAxis, xTagOf } from '../x-axis.ts';
import { type Fields, flag, oneOf, readNumber, single } from './field.ts';

/**
 * How to draw a tag that several writers of one run logged at the same time: one line per writer,
 * or their mean.
 */
export const writersForms = ['lines', 'mean'] as const;
export type WritersForm = (typeof writersForms)[number];

export const maxSmoothing = 0.999;

/** How scalar lines are drawn, in every chart. */
export interface LinesView {
  /** Weight of the past in the moving average, 0 to 0.999. */
  readonly smoothing: number;
  readonly xAxis: XAxis;
  readonly xScale: ScaleKind;
  readonly yScale: ScaleKind;
  readonly ignoreOutliers: boolean;
  readonly writers: WritersForm;
}

/** As in TensorBoard. */
const plainSmoothing = 0.6;

export const linesFields: Fields<LinesView> = {
  smoothing: single('smoothing', plainSmoothing, (text) => {
    const smoothing = readNumber(text);
    return smoothing === null ? plainSmoothing : Math.min(maxSmoothing, Math.max(0, smoothing));
  }),
  xAxis: single<XAxis>('xAxis', 'step', (text) => readXAxis(text ?? '')),
  xScale: oneOf('xScale', scaleKinds),
  yScale: oneOf('yScale', scaleKinds),
  ignoreOutliers: flag('ignoreOutliers'),
  writers: oneOf('writers', writersForms),
};

/**
 * How to space the buckets for a view. `log`: with equal width on a logarithmic axis of steps, or
 * of a time that increases with the steps.
 */
export function spacingOf({ xAxis, xScale }: Pick<LinesView, 'xAxis' | 'xScale'>): 'linear' | 'log' {
  return xScale === 'linear' || xAxis === 'wall' || xTagOf(xAxis) !== null ? 'linear' : 'log';
}
