/**
 * One series of a chart: its points, or buckets that each represent many. All columns have the same
 * length; steps rise.
 */
export interface ScalarSeries {
  readonly run: string;
  readonly tag: string;
  /**
   * The writer's number, if several writers logged at the same time; null if the response has one
   * series per run and tag.
   */
  readonly writer: number | null;
  /**
   * Whether each entry is a point. Otherwise, each is a bucket, and `low` and `high` can differ
   * from `value`.
   */
  readonly raw: boolean;
  /** How many points the entries represent. */
  readonly sourcePoints: number;
  /** First step of each bucket. */
  readonly firstStep: Float64Array;
  /** Last step of each bucket: where `value` was logged. */
  readonly step: Float64Array;
  readonly value: Float64Array;
  /** Value at `firstStep`, logged at `wallTime`. */
  readonly first: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly count: Float64Array;
  /** Wall time of each bucket's first point, in seconds since 1970. */
  readonly wallTime: Float64Array;
  /**
   * Moving averages of all the run's points up to those at `step` and at `firstStep`; null if not
   * requested.
   */
  readonly smoothed: SmoothedColumns | null;
  /**
   * How many points of each bucket are not finite; null if all are finite. If entries are points,
   * their values show this.
   */
  readonly notFinite: NotFiniteCounts | null;
  /** Whether the series was computed from bucket values; if so, its extremes are unknown. */
  readonly approximate?: true;
  /** Values of the tag on the x axis at `step`; null if not requested. */
  readonly x: Float64Array | null;
  /**
   * Steps as received, if some are beyond 2^53, so that `step` only approximates them; otherwise
   * null.
   */
  readonly exactStep: readonly (number | string)[] | null;
}

/** Counts of each bucket. */
export interface NotFiniteCounts {
  readonly nan: Float64Array;
  readonly positive: Float64Array;
  readonly negative: Float64Array;
}

/**
 * Moving averages that the service computed over all points, including points that it did not send.
 * Empty for a series that is too long.
 */
export interface SmoothedColumns {
  /** The weight of the past in these averages. */
  readonly weight: number;
  readonly last: Float64Array;
  readonly first: Float64Array;
}

/** The number of non-finite points. */
export interface NotFinite {
  readonly nan: number;
  readonly positive: number;
  readonly negative: number;
}

type Numbers = readonly (number | string)[];

/** A series in the response to a scalars query. */
export interface SeriesJson {
  readonly run: string;
  readonly tag: string;
  readonly writer?: number;
  readonly sampling: string;
  readonly exact?: boolean;
  readonly source_points: number | string;
  readonly columns: Readonly<Record<string, Numbers>>;
}

/** The columns of a scalars response that charts need. */
export const chartColumns = [
  'step',
  'last_step',
  'count',
  'first',
  'last',
  'min',
  'max',
  'wall_time',
  'value',
  'smoothed',
  'smoothed_first',
  'nan_count',
  'inf_count',
  'neg_inf_count',
  'x',
] as const;

/**
 * Reads a series from a response with all `chartColumns`. `smoothing`: as requested; 0 for none.
 */
export function readSeries({ run, tag, writer, sampling, exact, source_points, columns }: SeriesJson, smoothing = 0): ScalarSeries {
  const column = (name: string): Numbers => columns[name] ?? [];
  const raw = sampling === 'raw';
  const steps = column(raw ? 'step' : 'last_step');
  const firstStep = toFloats(column('step'));
  const value = toFloats(column(raw ? 'value' : 'last'));
  return {
    run,
    tag,
    writer: writer ?? null,
    raw,
    ...(exact === false && { approximate: true as const }),
    sourcePoints: Number(source_points),
    firstStep,
    step: raw ? firstStep : toFloats(steps),
    value,
    first: raw ? value : toFloats(column('first')),
    low: raw ? value : toFloats(column('min')),
    high: raw ? value : toFloats(column('max')),
    count: raw ? new Float64Array(value.length).fill(1) : toFloats(column('count')),
    wallTime: toFloats(column('wall_time')),
    notFinite: columns['nan_count']
      ? { nan: toFloats(columns['nan_count']), positive: toFloats(column('inf_count')), negative: toFloats(column('neg_inf_count')) }
      : null,
    smoothed: smoothing > 0 ? readSmoothed(columns, smoothing) : null,
    x: columns['x'] ? toFloats(columns['x']) : null,
    exactStep: steps.some((step) => typeof step === 'string') ? steps : null,
  };
}

function readSmoothed(columns: SeriesJson['columns'], weight: number): SmoothedColumns {
  const last = toFloats(columns['smoothed'] ?? []); // missing for a series that is too long to smooth
  return { weight, last, first: columns['smoothed_first'] ? toFloats(columns['smoothed_first']) : last };
}

/** How many points of an entry are NaN, positive infinity and negative infinity. */
export function notFiniteAt({ value, count, notFinite }: ScalarSeries, index: number): NotFinite {
  const counted = { nan: notFinite?.nan[index] ?? 0, positive: notFinite?.positive[index] ?? 0, negative: notFinite?.negative[index] ?? 0 };
  if (counted.nan + counted.positive + counted.negative > 0) return counted;
  const only = count[index] === 1 ? value[index]! : 0;
  return { nan: Number(Number.isNaN(only)), positive: Number(only === Infinity), negative: Number(only === -Infinity) };
}

/**
 * Concatenates the counts of several parts; `lengths`: the number of entries in each. Returns null
 * if no part has counts.
 */
export function joinNotFinite(parts: readonly (NotFiniteCounts | null)[], lengths: readonly number[]): NotFiniteCounts | null {
  if (parts.every((part) => part === null)) return null;
  const join = (of: (part: NotFiniteCounts) => Float64Array): Float64Array => {
    const all = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const [i, part] of parts.entries()) {
      if (part) all.set(of(part), at);
      at += lengths[i]!;
    }
    return all;
  };
  return { nan: join(({ nan }) => nan), positive: join(({ positive }) => positive), negative: join(({ negative }) => negative) };
}

/** Numbers in JSON: values that JSON cannot express as numbers are strings that `Number` parses. */
function toFloats(values: Numbers): Float64Array {
  const floats = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) floats[i] = Number(values[i]);
  return floats;
}
