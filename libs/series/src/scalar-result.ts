import type { PointColumns, RunName, TagName } from '#model';
import type { SeenFrontier } from './admit.ts';
import type { Buckets } from './bucket-columns.ts';
import type { IntegerColumn } from './json-numbers.ts';
import { narrowSteps } from './steps.ts';
import type { Sampling } from './scalar-request.ts';

/** A named column of a response; all columns of a series have the same length. */
export type Column =
  | { readonly name: string; readonly kind: 'integer'; readonly values: IntegerColumn }
  | { readonly name: string; readonly kind: 'float'; readonly values: Float64Array }
  | { readonly name: string; readonly kind: 'boolean'; readonly values: Uint8Array };

/** The response for one series. */
export interface SeriesResult {
  readonly run: RunName;
  readonly tag: TagName;
  /** If several writers logged at the same time, each writer has a separate series: 0, 1, 2 … */
  readonly writer: number;
  /**
   * The sampling used: a series with few points is returned as `raw` even if `minmax` was
   * requested.
   */
  readonly sampling: Sampling;
  /**
   * Whether nothing was omitted: every point of the requested range is in the response, or is
   * counted in exactly one bucket.
   */
  readonly exact: boolean;
  /** Number of points that this response represents. */
  readonly sourcePoints: number;
  readonly content: { readonly points: PointColumns; readonly superseded?: Uint8Array } | { readonly buckets: Buckets };
  /** Present if smoothing was requested. */
  readonly smoothed?: Smoothed;
  /** Present if another tag was requested as x: its values at the last points of the entries. */
  readonly x?: Float64Array;
  /** Present for buckets if some contain non-finite points. */
  readonly notFinite?: NotFinite;
}

/** The number of non-finite points in each bucket, by kind. */
export interface NotFinite {
  readonly nan: Float64Array;
  readonly positive: Float64Array;
  readonly negative: Float64Array;
}

/** Moving averages at the first and at the last point of each entry. */
export interface Smoothed {
  readonly first: Float64Array;
  readonly last: Float64Array;
}

/** A complete response. */
export interface ScalarResult {
  readonly frontier: SeenFrontier;
  readonly series: readonly SeriesResult[];
  /**
   * Whether any run and tag of the request, on any page, has series from several writers. If so,
   * the response includes the writer of each series.
   */
  readonly severalWriters: boolean;
  readonly nextPageToken: string | null;
}

/**
 * Whether several of the series share a run and tag, because several writers logged at the same
 * time.
 */
export function haveSeveralWriters(list: readonly { readonly run: RunName; readonly tag: TagName; readonly writer: number }[]): boolean {
  const first = new Map<string, number>();
  return list.some(({ run, tag, writer }) => {
    const name = JSON.stringify([run, tag]);
    const known = first.get(name);
    if (known === undefined) first.set(name, writer);
    return known !== undefined && known !== writer;
  });
}

/** The names that a request's `columns` may select. */
export const columnNames = [
  'step',
  'last_step',
  'count',
  'first',
  'last',
  'min',
  'max',
  'min_step',
  'max_step',
  'wall_time',
  'value',
  'superseded',
  'smoothed',
  'smoothed_first',
  'nan_count',
  'inf_count',
  'neg_inf_count',
  'x',
] as const;
export type ColumnName = (typeof columnNames)[number];

/** Columns of points: `step, wall_time, value`, and `superseded` if requested. */
export function pointColumns(points: PointColumns, superseded?: Uint8Array, steps: IntegerColumn = narrowSteps(points.steps)): Column[] {
  const columns: Column[] = [
    { name: 'step', kind: 'integer', values: steps },
    { name: 'wall_time', kind: 'float', values: points.wallTimes },
    { name: 'value', kind: 'float', values: points.values },
  ];
  if (superseded) columns.push({ name: 'superseded', kind: 'boolean', values: superseded });
  return columns;
}

/** Columns of buckets, in the order of api.md. */
export function bucketColumns(buckets: Buckets): Column[] {
  return [
    { name: 'step', kind: 'integer', values: buckets.step },
    { name: 'last_step', kind: 'integer', values: buckets.lastStep },
    { name: 'count', kind: 'integer', values: buckets.count },
    { name: 'first', kind: 'float', values: buckets.first },
    { name: 'last', kind: 'float', values: buckets.last },
    { name: 'min', kind: 'float', values: buckets.min },
    { name: 'max', kind: 'float', values: buckets.max },
    { name: 'min_step', kind: 'integer', values: buckets.minStep },
    { name: 'max_step', kind: 'integer', values: buckets.maxStep },
    { name: 'wall_time', kind: 'float', values: buckets.wallTime },
  ];
}

/** The column of another tag's values. */
export function xColumn(values: Float64Array): Column {
  return { name: 'x', kind: 'float', values };
}

/** Columns of counts of non-finite values, for buckets. */
export function notFiniteColumns({ nan, positive, negative }: NotFinite): Column[] {
  return [
    { name: 'nan_count', kind: 'integer', values: nan },
    { name: 'inf_count', kind: 'integer', values: positive },
    { name: 'neg_inf_count', kind: 'integer', values: negative },
  ];
}

/**
 * Columns of moving averages. Points have one column; buckets have two, for the last and the first
 * point.
 */
export function smoothedColumns({ first, last }: Smoothed, inBuckets: boolean): Column[] {
  const columns: Column[] = [{ name: 'smoothed', kind: 'float', values: last }];
  if (inBuckets) columns.push({ name: 'smoothed_first', kind: 'float', values: first });
  return columns;
}
