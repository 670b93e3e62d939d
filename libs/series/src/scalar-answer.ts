import type { PointColumns } from '#model';
import type { SeenFrontier } from './admit.ts';
import type { Buckets } from './bucket-columns.ts';
import type { IntegerColumn } from './json-numbers.ts';
import { narrowSteps } from './steps.ts';
import type { Sampling } from './scalar-request.ts';

/** A named column of an answer; all columns of a series have one length. */
export type Column =
  | { readonly name: string; readonly kind: 'integer'; readonly values: IntegerColumn }
  | { readonly name: string; readonly kind: 'float'; readonly values: Float64Array }
  | { readonly name: string; readonly kind: 'boolean'; readonly values: Uint8Array };

/** What one series answers. */
export interface SeriesAnswer {
  readonly run: string;
  readonly tag: string;
  /** Of several writers that logged at the same time, each has a series: 0, 1, 2 … */
  readonly writer: number;
  /** How it was made: a series with few points comes back `raw` where `minmax` was asked. */
  readonly sampling: Sampling;
  /** Nothing was left out: every point of the asked range is in the answer, or in the numbers of exactly one bucket. */
  readonly exact: boolean;
  /** Points behind this response. */
  readonly sourcePoints: number;
  readonly content: { readonly points: PointColumns; readonly superseded?: Uint8Array } | { readonly buckets: Buckets };
  /** Where smoothing was asked for. */
  readonly smoothed?: Smoothed;
  /** Of buckets, some of which hold points that are not finite. */
  readonly notFinite?: NotFinite;
}

/** How many points of each bucket are not finite, by what they are. */
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

/** A whole answer. */
export interface ScalarAnswer {
  readonly frontier: SeenFrontier;
  readonly series: readonly SeriesAnswer[];
  /** Whether a run and tag of the request, on whatever page, has series of several writers: then the answer says of each series which one it is. */
  readonly severalWriters: boolean;
  readonly nextPageToken: string | null;
}

/** Whether several of the series have one run and tag, as writers that logged at the same time do. */
export function haveSeveralWriters(list: readonly { readonly run: string; readonly tag: string; readonly writer: number }[]): boolean {
  const first = new Map<string, number>();
  return list.some(({ run, tag, writer }) => {
    const name = JSON.stringify([run, tag]);
    const known = first.get(name);
    if (known === undefined) first.set(name, writer);
    return known !== undefined && known !== writer;
  });
}

/** The names that `columns` of a request may pick. */
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
] as const;
export type ColumnName = (typeof columnNames)[number];

/** Columns of points: `step, wall_time, value`, and `superseded` where asked for. */
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

/** Columns of counts of what is not finite, for buckets. */
export function notFiniteColumns({ nan, positive, negative }: NotFinite): Column[] {
  return [
    { name: 'nan_count', kind: 'integer', values: nan },
    { name: 'inf_count', kind: 'integer', values: positive },
    { name: 'neg_inf_count', kind: 'integer', values: negative },
  ];
}

/** Columns of moving averages: of points one, of buckets that of the last and that of the first point. */
export function smoothedColumns({ first, last }: Smoothed, inBuckets: boolean): Column[] {
  const columns: Column[] = [{ name: 'smoothed', kind: 'float', values: last }];
  if (inBuckets) columns.push({ name: 'smoothed_first', kind: 'float', values: first });
  return columns;
}
