/** One series of a chart: its points, or buckets that each stand for many. All columns have one length, steps rise. */
export interface ScalarSeries {
  readonly run: string;
  readonly tag: string;
  /** Each entry is a point; else each is a bucket, and `low` and `high` may lie apart from `value`. */
  readonly raw: boolean;
  /** How many points the entries stand for. */
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
  /** Seconds since 1970, of the first point of each bucket. */
  readonly wallTime: Float64Array;
  /** Steps as they were sent, where some are beyond 2^53 and `step` is only near them; null else. */
  readonly exactStep: readonly (number | string)[] | null;
}

type Numbers = readonly (number | string)[];

/** A series as the scalars query answers it. */
export interface SeriesJson {
  readonly run: string;
  readonly tag: string;
  readonly sampling: string;
  readonly source_points: number | string;
  readonly columns: Readonly<Record<string, Numbers>>;
}

/** What of a scalars answer charts are made from. */
export const chartColumns = ['step', 'last_step', 'count', 'first', 'last', 'min', 'max', 'wall_time', 'value'] as const;

/** Reads a series of an answer that has all of `chartColumns`. */
export function readSeries({ run, tag, sampling, source_points, columns }: SeriesJson): ScalarSeries {
  const column = (name: string): Numbers => columns[name] ?? [];
  const raw = sampling === 'raw';
  const steps = column(raw ? 'step' : 'last_step');
  const firstStep = toFloats(column('step'));
  const value = toFloats(column(raw ? 'value' : 'last'));
  return {
    run,
    tag,
    raw,
    sourcePoints: Number(source_points),
    firstStep,
    step: raw ? firstStep : toFloats(steps),
    value,
    first: raw ? value : toFloats(column('first')),
    low: raw ? value : toFloats(column('min')),
    high: raw ? value : toFloats(column('max')),
    count: raw ? new Float64Array(value.length).fill(1) : toFloats(column('count')),
    wallTime: toFloats(column('wall_time')),
    exactStep: steps.some((step) => typeof step === 'string') ? steps : null,
  };
}

/** Numbers of JSON: what JSON has no number for are strings that `Number` reads. */
function toFloats(values: Numbers): Float64Array {
  const floats = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) floats[i] = Number(values[i]);
  return floats;
}
