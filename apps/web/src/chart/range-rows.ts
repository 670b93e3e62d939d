import { type ChartLine, entriesIn, type ScalarSeries, type View } from '#charts';

/** What a line does in a part of its axis: of the points themselves, not of what is drawn. */
export interface RangeRow {
  readonly run: string;
  /** NaN: not known. */
  readonly points: number;
  readonly first: number;
  readonly last: number;
  readonly change: number;
  /** Share of the first value; NaN where that is 0. */
  readonly relative: number;
  /** NaN: no point has a number. */
  readonly min: number;
  readonly max: number;
}

/**
 * Rows with what the service found in exactly the steps that are seen: each run's points as one entry. `seriesOf`: the runs of a line; a group's first and last values stay those
 * of its mean.
 */
export function withExact(rows: readonly RangeRow[], seriesOf: (run: string) => readonly ScalarSeries[]): RangeRow[] {
  return rows.map((row) => {
    const list = seriesOf(row.run).filter(({ step }) => step.length > 0);
    if (list.length === 0) return row;
    const numbers = (of: (series: ScalarSeries) => Float64Array): number[] =>
      list.flatMap((one) => [...of(one)]).filter((value) => !Number.isNaN(value));
    const [lows, highs] = [numbers(({ low }) => low), numbers(({ high }) => high)];
    const [only] = list;
    const [first, last] = list.length === 1 && only ? [only.first[0]!, only.value.at(-1)!] : [row.first, row.last];
    return {
      ...row,
      points: list.reduce((sum, one) => sum + one.sourcePoints, 0),
      first,
      last,
      change: last - first,
      relative: (last - first) / Math.abs(first),
      min: lows.length > 0 ? Math.min(...lows) : Number.NaN,
      max: highs.length > 0 ? Math.max(...highs) : Number.NaN,
    };
  });
}

/** A row for each line that has a point there. At the ends of the part whole buckets count. */
export function rangeRows(lines: readonly ChartLine[], range: View['range']): RangeRow[] {
  return lines.flatMap(({ run, x, series, members }) => {
    const { from, to } = range ? entriesIn(x, range.from, range.to) : { from: 0, to: x.length };
    if (to <= from) return [];
    let [min, max, points] = [Number.NaN, Number.NaN, 0];
    for (let i = from; i < to; i++) {
      if (range && !(x[i]! >= range.from && x[i]! <= range.to)) continue;
      const [low, high] = [series.low[i]!, series.high[i]!];
      if (!(low >= min) && !Number.isNaN(low)) min = low;
      if (!(high <= max) && !Number.isNaN(high)) max = high;
      points += series.count[i]!;
    }
    // A mean's counts are those of runs at each place
    if (members > 1) points = range ? Number.NaN : series.sourcePoints;
    const [first, last] = [series.first[from]!, series.value[to - 1]!];
    return [{ run, points, first, last, change: last - first, relative: (last - first) / Math.abs(first), min, max }];
  });
}
