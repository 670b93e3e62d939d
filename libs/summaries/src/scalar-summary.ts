import type { RunName, TagName } from '#model';
import { approximate, floatOf, sumOf } from './numbers.ts';
import type { Float, Whole } from './source.ts';

/** A series in the response to a scalars query: raw points, or buckets. */
export interface ScalarSeries {
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer?: number;
  readonly sampling: string;
  readonly source_points: Whole;
  readonly columns: Readonly<Record<string, readonly Float[]>>;
}

/** A logged point: its exact step and value. */
export interface ExactPoint {
  readonly step: Whole;
  readonly value: Float;
}

/** Consecutive points of a series: one point, or a bucket. */
export interface Bucket {
  readonly from: Whole;
  readonly to: Whole;
  readonly count: number;
  readonly first: ExactPoint;
  readonly last: ExactPoint;
  /**
   * Ignores NaN and includes infinities; null if all values are NaN. Among equal values, the
   * earliest counts.
   */
  readonly min: ExactPoint | null;
  readonly max: ExactPoint | null;
  readonly nan: number;
  readonly inf: number;
  readonly negInf: number;
}

/** The points and buckets of a response, in order of their steps. */
export function bucketsOf({ columns }: ScalarSeries): Bucket[] {
  const column = (name: string, row: number): Float => columns[name]?.[row] ?? 0;
  return columns['step']!.map((step, row): Bucket => {
    if (columns['value']) {
      const point = { step, value: column('value', row) };
      const value = floatOf(point.value);
      const extreme = Number.isNaN(value) ? null : point;
      const is = (other: number): number => (Object.is(value, other) ? 1 : 0);
      return {
        from: step,
        to: step,
        count: 1,
        first: point,
        last: point,
        min: extreme,
        max: extreme,
        nan: is(NaN),
        inf: is(Infinity),
        negInf: is(-Infinity),
      };
    }
    const at = (value: string, where: string): ExactPoint | null =>
      Number.isNaN(floatOf(column(value, row))) ? null : { step: column(where, row), value: column(value, row) };
    return {
      from: step,
      to: column('last_step', row),
      count: approximate(column('count', row)),
      first: { step, value: column('first', row) },
      last: { step: column('last_step', row), value: column('last', row) },
      min: at('min', 'min_step'),
      max: at('max', 'max_step'),
      nan: approximate(column('nan_count', row)),
      inf: approximate(column('inf_count', row)),
      negInf: approximate(column('neg_inf_count', row)),
    };
  });
}

/** Joins consecutive buckets; null if there are none. */
export function joined(buckets: readonly Bucket[]): Bucket | null {
  const [head, ...rest] = buckets;
  if (!head) return null;
  return rest.reduce(
    (a, b) => ({
      from: a.from,
      to: b.to,
      count: approximate(sumOf([a.count, b.count])),
      first: a.first,
      last: b.last,
      min: better(a.min, b.min, (one, other) => other < one),
      max: better(a.max, b.max, (one, other) => other > one),
      nan: a.nan + b.nan,
      inf: a.inf + b.inf,
      negInf: a.negInf + b.negInf,
    }),
    head,
  );
}

function better(a: ExactPoint | null, b: ExactPoint | null, isBetter: (one: number, other: number) => boolean): ExactPoint | null {
  if (a === null || b === null) return a ?? b;
  return isBetter(floatOf(a.value), floatOf(b.value)) ? b : a;
}
