import { type ChartLine, type ChartScales, shownValues } from '#charts';
import { partOf } from './draw-lines.ts';

/** Whether anything of a line lies in the part of the axes that is seen, or goes through it. */
export function isSeen(line: ChartLine, { x, y }: ChartScales): boolean {
  const { low, high } = line.series;
  const shown = shownValues(line);
  const reaches = (least: number, most: number): boolean => least <= y.max && most >= y.min;
  const { from, to } = partOf(line, x.min, x.max);
  for (let i = from; i < to; i++) {
    const value = shown[i]!;
    if (reaches(Math.min(low[i]!, value), Math.max(high[i]!, value))) return true;
    if (i > from && reaches(Math.min(shown[i - 1]!, value), Math.max(shown[i - 1]!, value))) return true;
  }
  return false;
}
