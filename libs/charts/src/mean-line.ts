import { type ChartLine, firstAtOrAfter } from './chart-lines.ts';
import { smooth } from './smoothing.ts';
import type { Spread } from './view.ts';

/** Places that the mean is made at; more are thinned out evenly. */
const mostPlaces = 600;
/** Standard errors around a mean that hold it in 95 of 100 cases, for many runs. */
const normal95 = 1.96;

/** The mean of the lines of a group, at the places of all of them, of those that reach there; around it `spread`. Between two entries a line is straight. */
export function meanLine(group: string, lines: readonly ChartLine[], spread: Spread, smoothing: number): ChartLine {
  const x = placesOf(lines);
  const size = x.length;
  const [mean, low, high, count, step, time] = Array.from({ length: 6 }, () => new Float64Array(size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < size; i++) {
    let [sum, squares, found, steps, times, least, most] = [0, 0, 0, 0, 0, Infinity, -Infinity];
    for (const { x: places, y, series } of lines) {
      const at = between(places, x[i]!);
      if (!at) continue;
      const value = mix(y, at);
      if (!Number.isFinite(value)) continue;
      found++;
      sum += value;
      squares += value * value;
      steps += mix(series.step, at);
      times += mix(series.wallTime, at);
      least = Math.min(least, mix(series.low, at));
      most = Math.max(most, mix(series.high, at));
    }
    const middle = found === 0 ? Number.NaN : sum / found;
    const deviation = found > 1 ? Math.sqrt(Math.max(0, (squares - found * middle * middle) / (found - 1))) : 0;
    const reach = spread === 'ci' ? (normal95 * deviation) / Math.sqrt(Math.max(1, found)) : deviation;
    mean[i] = middle;
    low[i] = spread === 'minmax' ? least : middle - reach;
    high[i] = spread === 'minmax' ? most : middle + reach;
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
      exactStep: null,
    },
    x,
    y: mean,
    smoothed: smoothing > 0 ? smooth(mean, smoothing) : null,
  };
}

function placesOf(lines: readonly ChartLine[]): Float64Array {
  const all = Float64Array.from(new Set(lines.flatMap(({ x }) => [...x]))).sort();
  if (all.length <= mostPlaces) return all;
  return Float64Array.from({ length: mostPlaces }, (_, i) => all[Math.round((i * (all.length - 1)) / (mostPlaces - 1))]!);
}

interface Between {
  readonly index: number;
  /** From there to the next, 0 to 1. */
  readonly share: number;
}

function between(places: Float64Array, x: number): Between | null {
  const after = firstAtOrAfter(places, x);
  if (after === places.length) return null;
  if (places[after] === x) return { index: after, share: 0 };
  return after === 0 ? null : { index: after - 1, share: (x - places[after - 1]!) / (places[after]! - places[after - 1]!) };
}

function mix(column: Float64Array, { index, share }: Between): number {
  return share === 0 ? column[index]! : column[index]! * (1 - share) + column[index + 1]! * share;
}
