import type { RunName, TagName } from '#model';
import { pointsAsBuckets } from './bucket-columns.ts';
import {
  bucketColumns,
  type Column,
  type ColumnName,
  type NotFinite,
  notFiniteColumns,
  pointColumns,
  type ScalarResult,
  type SeriesResult,
  type Smoothed,
  smoothedColumns,
  xColumn,
} from './scalar-result.ts';

/** One series of a long table. */
export interface TablePart {
  readonly run: RunName;
  readonly tag: TagName;
  readonly rows: number;
  readonly columns: readonly Column[];
}

/**
 * A response as a long table: all parts have the same columns. If any series is in buckets, raw
 * series are shown as buckets of one point, so the table has a single form.
 */
export function tableParts(response: ScalarResult, wanted: readonly ColumnName[] | null): TablePart[] {
  const inBuckets = response.series.some((series) => 'buckets' in series.content);
  const isSmoothed = response.series.some(({ smoothed }) => smoothed !== undefined);
  return response.series.map((series) => {
    const rows = 'buckets' in series.content ? series.content.buckets.count.length : series.content.points.steps.length;
    const columns = inBuckets ? bucketColumns(bucketsOf(series)) : plainColumns(series);
    const writerColumn: Column[] = response.severalWriters
      ? [{ name: 'writer', kind: 'integer', values: new Float64Array(rows).fill(series.writer) }]
      : [];
    if (inBuckets) columns.push(...notFiniteColumns(series.notFinite ?? notFiniteOf(series)));
    if (isSmoothed) columns.push(...smoothedColumns(series.smoothed ?? unknown(rows), inBuckets));
    if (series.x) columns.push(xColumn(series.x));
    return {
      run: series.run,
      tag: series.tag,
      rows,
      columns: [...writerColumn, ...columns.filter((column) => !wanted || wanted.some((name) => name === column.name))],
    };
  });
}

/** The unknown averages of a series that was too long to smooth. */
function unknown(rows: number): Smoothed {
  const values = new Float64Array(rows).fill(Number.NaN);
  return { first: values, last: values };
}

/** Each point is counted as a bucket. Buckets without non-finite values have no counts. */
function notFiniteOf({ content }: SeriesResult): NotFinite {
  if ('buckets' in content) {
    const none = new Float64Array(content.buckets.count.length);
    return { nan: none, positive: none, negative: none };
  }
  const { values } = content.points;
  const count = (isOne: (value: number) => boolean): Float64Array => values.map((value) => (isOne(value) ? 1 : 0));
  return { nan: count(Number.isNaN), positive: count((value) => value === Infinity), negative: count((value) => value === -Infinity) };
}

function bucketsOf({ content }: SeriesResult) {
  return 'buckets' in content ? content.buckets : pointsAsBuckets(content.points);
}

function plainColumns({ content }: SeriesResult): Column[] {
  return 'buckets' in content ? [] : pointColumns(content.points, content.superseded);
}

/** The columns of a response without any series. */
export const emptyTableColumns = ['step', 'wall_time', 'value'] as const;
