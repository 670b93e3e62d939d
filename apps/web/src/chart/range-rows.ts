import { type ChartLine, entriesIn, type View } from '#charts';

/** What a line does in a part of its axis: of the points themselves, not of what is drawn. */
export interface RangeRow {
  readonly run: string;
  readonly points: number;
  readonly first: number;
  readonly last: number;
  readonly change: number;
  /** Share of the first value; NaN where that is 0. */
  readonly relative: number;
  readonly min: number;
  readonly max: number;
}

/** A row for each line that has a point there. At the ends of the part whole buckets count. */
export function rangeRows(lines: readonly ChartLine[], range: View['range']): RangeRow[] {
  return lines.flatMap(({ run, x, series }) => {
    const { from, to } = range ? entriesIn(x, range.from, range.to) : { from: 0, to: x.length };
    if (to <= from) return [];
    let [min, max, points] = [Infinity, -Infinity, 0];
    for (let i = from; i < to; i++) {
      min = Math.min(min, Number.isNaN(series.low[i]!) ? min : series.low[i]!);
      max = Math.max(max, Number.isNaN(series.high[i]!) ? max : series.high[i]!);
      points += series.count[i]!;
    }
    const [first, last] = [series.first[from]!, series.value[to - 1]!];
    return [{ run, points, first, last, change: last - first, relative: (last - first) / Math.abs(first), min, max }];
  });
}
