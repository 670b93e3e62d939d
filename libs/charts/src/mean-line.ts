import { type ChartLine, isRising, shownValues, smoothLines } from './chart-lines.ts';
import { notFiniteAt } from './scalar-series.ts';
import { t95 } from './student-t.ts';
import type { Spread } from './view/run-list.ts';

/**
 * Maximum number of positions at which the mean is computed. If there are more, they are reduced
 * evenly.
 */
const maxPlaces = 600;

/**
 * The mean of a group's lines at all their positions. Averages the lines that extend to a position,
 * with linear interpolation between entries. `low` and `high` cover every entry since the previous
 * position, so that no spike is lost; `band` is the `spread` around the mean.
 */
export function meanLine(group: string, members: readonly ChartLine[], spread: Spread): ChartLine {
  const lines = members.map(rising);
  const x = placesOf(lines);
  const column = (): Float64Array => new Float64Array(x.length);
  const [mean, reach, low, high, count, step, time] = [column(), column(), column(), column(), column(), column(), column()];
  const notFinite = { nan: column(), positive: column(), negative: column() };
  let isFinite = true;
  const passed = new Int32Array(lines.length); // entries of each line at or before the position
  const values = new Float64Array(lines.length);
  for (let i = 0; i < x.length; i++) {
    let [found, steps, times, min, max] = [0, 0, 0, Infinity, -Infinity];
    const span = (from: number, to: number): void => {
      if (from < min && from > -Infinity) min = from;
      if (to > max && to < Infinity) max = to;
    };
    lines.forEach(({ x: places, y, series }, l) => {
      let after = passed[l]!;
      for (; after < places.length && places[after]! <= x[i]!; after++) {
        span(series.low[after]!, series.high[after]!);
        if (!series.notFinite && Number.isFinite(series.value[after]!)) continue;
        const { nan, positive, negative } = notFiniteAt(series, after);
        if (nan + positive + negative === 0) continue;
        isFinite = false;
        notFinite.nan[i]! += nan;
        notFinite.positive[i]! += positive;
        notFinite.negative[i]! += negative;
      }
      passed[l] = after;
      const at = between(places, after, x[i]!);
      if (!at) return;
      const value = mix(y, at);
      if (!Number.isFinite(value)) return;
      values[found++] = value;
      steps += mix(series.step, at);
      times += mix(series.wallTime, at);
      span(mix(series.low, at), mix(series.high, at));
    });
    const known = values.subarray(0, found);
    mean[i] = meanOf(known);
    reach[i] = reachOf(known, mean[i]!, spread);
    low[i] = min < Infinity ? min : Number.NaN;
    high[i] = max > -Infinity ? max : Number.NaN;
    count[i] = found;
    step[i] = Math.round(steps / found);
    time[i] = times / found;
  }
  const { series } = lines[0]!;
  return {
    run: group,
    members: lines.length,
    series: {
      run: group,
      tag: series.tag,
      writer: null,
      raw: false,
      sourcePoints: lines.reduce((sum, line) => sum + line.series.sourcePoints, 0),
      firstStep: step,
      step,
      value: mean,
      first: mean,
      low,
      high,
      count,
      wallTime: time,
      smoothed: null,
      notFinite: isFinite ? null : notFinite,
      x: null,
      exactStep: null,
    },
    band:
      spread === 'minmax'
        ? { low, high }
        : { low: mean.map((value, i) => value - reach[i]!), high: mean.map((value, i) => value + reach[i]!) },
    x,
    origin: lines[0]!.origin,
    y: mean,
    spacing: 1,
    smoothed: null,
    smoothBy: (smoothing) => meansAt(x, smoothLines(lines, smoothing)),
  };
}

/** The mean of the lines at each position; lines without a number there do not count. */
function meansAt(places: Float64Array, lines: readonly ChartLine[]): Float64Array {
  const sums = new Float64Array(places.length);
  const counts = new Float64Array(places.length);
  for (const line of lines) {
    const values = shownValues(line);
    let after = 0;
    for (let i = 0; i < places.length; i++) {
      while (after < line.x.length && line.x[after]! <= places[i]!) after++;
      const at = between(line.x, after, places[i]!);
      const value = at ? mix(values, at) : Number.NaN;
      if (!Number.isFinite(value)) continue;
      sums[i]! += value;
      counts[i]!++;
    }
  }
  return sums.map((sum, i) => sum / counts[i]!);
}

/** A line whose positions go back, sorted by position. */
function rising(line: ChartLine): ChartLine {
  if (isRising(line.x)) return line;
  const order = Uint32Array.from(line.x.keys())
    .filter((i) => Number.isFinite(line.x[i]!))
    .sort((a, b) => line.x[a]! - line.x[b]! || a - b);
  const sorted = (column: Float64Array): Float64Array => Float64Array.from(order, (i) => column[i]!);
  const { series } = line;
  return {
    ...line,
    x: sorted(line.x),
    y: sorted(line.y),
    series: {
      ...series,
      step: sorted(series.step),
      value: sorted(series.value),
      low: sorted(series.low),
      high: sorted(series.high),
      count: sorted(series.count),
      wallTime: sorted(series.wallTime),
      notFinite: series.notFinite && {
        nan: sorted(series.notFinite.nan),
        positive: sorted(series.notFinite.positive),
        negative: sorted(series.notFinite.negative),
      },
    },
  };
}

/** NaN if empty. */
function meanOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/**
 * The distance of the band from the mean. Sums deviations instead of squared values, which would
 * lose all precision if values are large and close together.
 */
function reachOf(values: Float64Array, mean: number, spread: Spread): number {
  if (values.length < 2) return 0;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const deviation = Math.sqrt(squares / (values.length - 1));
  return spread === 'ci' ? (t95(values.length - 1) * deviation) / Math.sqrt(values.length) : deviation;
}

function placesOf(lines: readonly ChartLine[]): Float64Array {
  const all = Float64Array.from(new Set(lines.flatMap(({ x }) => [...x]))).sort();
  if (all.length <= maxPlaces) return all;
  return Float64Array.from({ length: maxPlaces }, (_, i) => all[Math.round((i * (all.length - 1)) / (maxPlaces - 1))]!);
}

interface Between {
  readonly index: number;
  /** Fraction of the way to the next position, 0 to 1. */
  readonly share: number;
}

/** `after`: the number of positions at or before `x`. */
function between(places: Float64Array, after: number, x: number): Between | null {
  if (after === 0) return null;
  const before = places[after - 1]!;
  if (before === x) return { index: after - 1, share: 0 };
  return after === places.length ? null : { index: after - 1, share: (x - before) / (places[after]! - before) };
}

function mix(column: Float64Array, { index, share }: Between): number {
  return share === 0 ? column[index]! : column[index]! * (1 - share) + column[index + 1]! * share;
}
