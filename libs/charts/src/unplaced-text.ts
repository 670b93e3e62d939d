import type { ChartLine } from './chart-lines.ts';
import { countText } from './format-number.ts';

/** Why no value of these lines is drawn. */
export function unplacedText(lines: readonly ChartLine[]): string {
  const isAll = (test: (value: number) => boolean): boolean =>
    lines.every(({ series }) => series.low.every(test) && series.high.every(test));
  const points = lines.reduce((sum, { series }) => sum + series.sourcePoints, 0);
  const count = countText(points, 'point');
  if (points === 0) return 'No points to show';
  if (isAll(Number.isNaN)) return points === 1 ? 'The only value is NaN.' : `All values are NaN (${count}).`;
  if (isAll((value) => !Number.isFinite(value))) return `No value is finite (${count}).`;
  if (lines.every(({ x }) => !x.some(Number.isFinite))) return 'The selected runs have no values for the tag on the x axis.';
  return 'No value fits these axes.';
}
