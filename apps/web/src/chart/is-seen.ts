import { type ChartLine, type ChartScales, shownValues } from '#charts';
import { partOf } from './draw-lines.ts';

/**
 * Whether any part of a line, smoothed or as logged, is in the visible part of the axes or passes
 * through it.
 */
export function isSeen(line: ChartLine, { x, y }: ChartScales): boolean {
  const { low, high } = line.series;
  const columns = new Set([shownValues(line), line.y]);
  const reaches = (min: number, max: number): boolean => min <= y.max && max >= y.min;
  const { from, to } = partOf(line, x.min, x.max);
  for (let i = from; i < to; i++) {
    if (reaches(low[i]!, high[i]!)) return true;
    for (const column of columns) {
      const [before, value] = [column[Math.max(from, i - 1)]!, column[i]!];
      if (reaches(value, value) || reaches(Math.min(before, value), Math.max(before, value))) return true;
    }
  }
  return false;
}
