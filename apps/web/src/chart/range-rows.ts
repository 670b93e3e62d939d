import { type ChartLine, entriesIn, type NotFinite, notFiniteAt, type ScalarSeries, type View } from '#charts';

/**
 * Statistics of a line in a range of its axis, computed from the points themselves, not from drawn
 * entries.
 */
export interface RangeRow extends RangeNumbers {
  readonly run: string;
  readonly change: number;
  /** Relative to the first value; NaN if that is 0. */
  readonly relative: number;
  /** Whether the numbers are approximate: buckets at the ends of the range count as a whole. */
  readonly approximate: boolean;
}

/** Statistics of the points in a range. */
export interface RangeNumbers {
  /** NaN if unknown. */
  readonly points: number;
  readonly first: number;
  readonly last: number;
  /** Includes infinities, as everywhere. NaN if no point has a number. */
  readonly min: number;
  readonly max: number;
  readonly notFinite: NotFinite;
}

/**
 * Adds the exact numbers of the visible range to rows, where they are known. `numbersOf`: returns
 * the numbers of each run of a line. A group's first and last values are those of its mean.
 */
export function withExact(rows: readonly RangeRow[], numbersOf: (run: string) => readonly RangeNumbers[]): RangeRow[] {
  return rows.map((row) => {
    const list = numbersOf(row.run).filter(({ points }) => points > 0);
    if (list.length === 0) return row;
    const all = joinNumbers(list);
    const { first, last } = list.length === 1 ? all : row;
    return { ...row, ...all, first, last, change: last - first, relative: (last - first) / Math.abs(first), approximate: false };
  });
}

/**
 * The numbers of the runs of each line. If the numbers of any of its runs are unknown (null), the
 * line has none: partial numbers would look complete.
 */
export function numbersByLine(
  found: readonly { readonly line: string; readonly numbers: RangeNumbers | null }[],
): ReadonlyMap<string, readonly RangeNumbers[]> {
  const lines = Map.groupBy(found, ({ line }) => line);
  return new Map(
    [...lines].map(([line, runs]) => {
      const known = runs.flatMap(({ numbers }) => numbers ?? []);
      return [line, known.length === runs.length ? known : []];
    }),
  );
}

/** Combines the numbers of consecutive parts. */
export function joinNumbers(parts: readonly RangeNumbers[]): RangeNumbers {
  const sum = (of: (part: RangeNumbers) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const numbers = (of: 'min' | 'max'): number[] => parts.map((part) => part[of]).filter((value) => !Number.isNaN(value));
  const [lows, highs] = [numbers('min'), numbers('max')];
  return {
    points: sum(({ points }) => points),
    first: parts[0]?.first ?? Number.NaN,
    last: parts.at(-1)?.last ?? Number.NaN,
    min: lows.length > 0 ? Math.min(...lows) : Number.NaN,
    max: highs.length > 0 ? Math.max(...highs) : Number.NaN,
    notFinite: {
      nan: sum(({ notFinite }) => notFinite.nan),
      positive: sum(({ notFinite }) => notFinite.positive),
      negative: sum(({ notFinite }) => notFinite.negative),
    },
  };
}

/** Statistics of the points in the given entries of a series. */
export function numbersOfEntries(series: ScalarSeries, entries: Iterable<number> = series.step.keys()): RangeNumbers {
  let [points, first, last, min, max] = [0, Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const notFinite = { nan: 0, positive: 0, negative: 0 };
  for (const i of entries) {
    const [low, high] = [series.low[i]!, series.high[i]!];
    if (!(low >= min) && !Number.isNaN(low)) min = low;
    if (!(high <= max) && !Number.isNaN(high)) max = high;
    if (points === 0) first = series.first[i]!;
    last = series.value[i]!;
    points += series.count[i]!;
    const found = notFiniteAt(series, i);
    notFinite.nan += found.nan;
    notFinite.positive += found.positive;
    notFinite.negative += found.negative;
  }
  // The range of a mean does not include non-finite values
  if (notFinite.positive > 0) max = Infinity;
  if (notFinite.negative > 0) min = -Infinity;
  return { points, first, last, min, max, notFinite };
}

/**
 * A row for each line with a point in the range. Buckets at the ends of the range count as a whole.
 */
export function rangeRows(lines: readonly ChartLine[], range: View['range']): RangeRow[] {
  return lines.flatMap(({ run, x, series, members }) => {
    const { from, to } = range ? entriesIn(x, range.from, range.to) : { from: 0, to: x.length };
    const seen = Array.from({ length: to - from }, (_, i) => from + i).filter((i) => !range || (x[i]! >= range.from && x[i]! <= range.to));
    if (seen.length === 0) return [];
    const numbers = numbersOfEntries(series, seen);
    // The counts of a mean are the numbers of runs, not of points, at each position
    const points = members === 1 ? numbers.points : range ? Number.NaN : series.sourcePoints;
    const { first, last } = numbers;
    return [
      {
        ...numbers,
        run,
        points,
        change: last - first,
        relative: (last - first) / Math.abs(first),
        approximate: range !== null && !series.raw,
      },
    ];
  });
}
