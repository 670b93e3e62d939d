import { type SeriesJson, smooth } from '#charts';

/** The part of a scalar query that selects and adds columns. */
export interface ScalarsBody {
  readonly runs?: readonly string[];
  readonly steps?: { readonly from?: number | string; readonly to?: number | string };
  /** Weight of the past in a moving average. 0 or absent for no average. */
  readonly smoothing?: number;
}

/**
 * The series of a tag, as the read API returns them for charts, but computed from all points.
 * Nothing is downsampled. Moving averages cover all points up to each point. `xSeries`: the series
 * of the tag on the x axis, or null.
 */
export function selectScalars(
  stored: readonly SeriesJson[],
  { runs, steps, smoothing = 0 }: ScalarsBody,
  xSeries: readonly SeriesJson[] | null,
): SeriesJson[] {
  const wanted = runs && new Set(runs);
  const from = BigInt(steps?.from ?? minInt64);
  const to = BigInt(steps?.to ?? maxInt64);
  const series = stored.filter(({ run }) => !wanted || wanted.has(run));
  return series.map((one) => {
    const { step: at, wall_time: wallTimes, value: values } = one.columns as Columns;
    const smoothed = smoothing > 0 ? smooth(Float64Array.from(values, Number), smoothing) : null;
    const x = xSeries && xAt(at, sourceOf(one, xSeries));
    const kept = [...at.keys()].filter((i) => from <= BigInt(at[i]!) && BigInt(at[i]!) <= to);
    const pick = (column: Numbers): Numbers => kept.map((i) => column[i]!);
    return {
      ...one,
      sampling: 'raw',
      exact: true,
      source_points: kept.length,
      columns: {
        step: pick(at),
        wall_time: pick(wallTimes),
        value: pick(values),
        ...(smoothed && { smoothed: kept.map((i) => smoothed[i]!) }),
        ...(x && { x: pick(x) }),
      },
    };
  });
}

type Numbers = readonly (number | string)[];
type Columns = Readonly<Record<'step' | 'wall_time' | 'value', Numbers>>;

const minInt64 = '-9223372036854775808';
const maxInt64 = '9223372036854775807';

/** The series of the same writer, or the run's only series. */
function sourceOf({ run, writer }: SeriesJson, list: readonly SeriesJson[]): SeriesJson | null {
  const own = list.filter((one) => one.run === run);
  return own.find((one) => one.writer === writer) ?? (own.length === 1 ? own[0]! : null);
}

/** For each step, the value at that step or the last value before it; NaN if there is none. */
function xAt(steps: Numbers, source: SeriesJson | null): Numbers {
  const { step: at = [], value: values = [] } = source?.columns ?? {};
  let next = 0;
  let current: number | string = NaN;
  return steps.map((step) => {
    for (; next < at.length && BigInt(at[next]!) <= BigInt(step); next++) current = values[next]!;
    return current;
  });
}
