import type { ChartLine } from './chart-lines.ts';
import { notFiniteAt } from './scalar-series.ts';
import type { PathSink, Placing } from './trace.ts';

/** The kind of a value that has no position on any axis. */
export type MarkKind = 'nan' | 'up' | 'down';

/** A position on the x axis where a non-finite value was logged. */
export interface Mark {
  readonly index: number;
  readonly kind: MarkKind;
}

/**
 * A line's entries with non-finite values: one mark for each kind, regardless of the finite values
 * in the bucket.
 */
export function marksOf({ series, members }: ChartLine): readonly Mark[] {
  const known = knownMarks.get(series.value);
  if (known) return known;
  const marks: Mark[] = [];
  const { value, first, low, high, notFinite } = series;
  for (let index = 0; index < value.length; index++) {
    if (!notFinite && [value, first, low, high].every((column) => Number.isFinite(column[index]!))) continue;
    const { nan, positive, negative } = notFiniteAt(series, index);
    // A series that is too long for counts still has the ends and extremes of its buckets. A mean
    // has no value where no run has a value.
    if (nan > 0 || (members === 1 && !notFinite && [value, first, low].some((column) => Number.isNaN(column[index]!))))
      marks.push({ index, kind: 'nan' });
    if (positive > 0 || high[index] === Infinity) marks.push({ index, kind: 'up' });
    if (negative > 0 || low[index] === -Infinity) marks.push({ index, kind: 'down' });
  }
  knownMarks.set(series.value, marks);
  return marks;
}

const knownMarks = new WeakMap<Float64Array, readonly Mark[]>();

/** The plot area, in pixels. Marks at its upper and lower edges are drawn completely. */
export interface MarkPlace extends Placing {
  readonly top: number;
  readonly bottom: number;
  /** Half the size of a mark, horizontally and vertically. */
  readonly size: readonly [number, number];
}

/**
 * Traces marks: an arrowhead at the upper edge for infinity, an arrowhead at the lower edge for
 * negative infinity, and a cross for NaN. The cross is at the last finite value before the NaN,
 * otherwise at the next one. Marks that would overlap are merged.
 */
export function traceMarks(sink: PathSink, line: ChartLine, place: MarkPlace, from = 0, to: number = line.x.length): void {
  const [wide, tall] = place.size;
  const last = new Map<MarkKind, number>();
  for (const { index, kind } of marksOf(line)) {
    if (index < from || index >= to) continue;
    const x = place.x(line.x[index]!);
    if (!Number.isFinite(x) || Math.abs(x - (last.get(kind) ?? -Infinity)) < wide) continue;
    last.set(kind, x);
    if (kind === 'nan') {
      const y = Math.min(place.bottom - tall, Math.max(place.top + tall, heightBeside(line, index, place)));
      sink.moveTo(x - wide, y - tall);
      sink.lineTo(x + wide, y + tall);
      sink.moveTo(x - wide, y + tall);
      sink.lineTo(x + wide, y - tall);
    } else {
      const [tip, foot] = kind === 'up' ? [place.top + 1, place.top + 1 + 2 * tall] : [place.bottom - 1, place.bottom - 1 - 2 * tall];
      sink.moveTo(x - wide, foot);
      sink.lineTo(x, tip);
      sink.lineTo(x + wide, foot);
    }
  }
}

/**
 * The pixel of the finite value before an entry, otherwise of the value after it. If there is
 * neither, the pixel of the lower edge.
 */
function heightBeside({ y }: ChartLine, index: number, place: MarkPlace): number {
  const isPlaced = (value: number): boolean => Number.isFinite(place.y(value));
  const before = y.subarray(0, index + 1).findLast(isPlaced);
  const beside = before ?? y.subarray(index).find(isPlaced);
  return beside === undefined ? place.bottom : place.y(beside);
}
