/** The target of traced lines: a canvas context, or the text of an SVG path. */
export interface PathSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

/** Pixels of values. */
export interface Placing {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** Points without a neighbor, which are drawn as dots. */
export type Dots = readonly (readonly [number, number])[];

/**
 * Traces the points from index `from` up to, not including, `to`, interrupted where a value has no
 * position (NaN, infinite, not positive on a logarithmic axis).
 */
export function traceLine(sink: PathSink, xs: Float64Array, ys: Float64Array, place: Placing, from = 0, to: number = xs.length): Dots {
  const dots: [number, number][] = [];
  let length = 0;
  let lastX = 0;
  let lastY = 0;
  for (let i = from; i < to; i++) {
    const x = place.x(xs[i]!);
    const y = place.y(ys[i]!);
    if (!(Math.abs(x) < Infinity && Math.abs(y) < Infinity)) {
      if (length === 1) dots.push([lastX, lastY]);
      length = 0;
      continue;
    }
    if (length++ === 0) sink.moveTo(bounded(x), bounded(y));
    else traceSegment(sink, lastX, lastY, x, y);
    lastX = x;
    lastY = y;
  }
  if (length === 1) dots.push([lastX, lastY]);
  return dots;
}

/** Pixels beyond which nothing is drawn, because canvases and paths lose precision far outside. */
const farthest = 20_000;

function bounded(pixels: number): number {
  return Math.min(farthest, Math.max(-farthest, pixels));
}

/**
 * Traces a segment of a line, from the end of the previous segment. Clips parts that are far
 * outside along the segment, which preserves its slope.
 */
function traceSegment(sink: PathSink, fromX: number, fromY: number, x: number, y: number): void {
  if (Math.max(Math.abs(fromX), Math.abs(fromY), Math.abs(x), Math.abs(y)) <= farthest) return sink.lineTo(x, y);
  // The segment is inside between these two fractions of its length (Liang and Barsky)
  let [enter, leave] = [0, 1];
  for (const [start, way] of [
    [fromX, x - fromX],
    [fromY, y - fromY],
  ] as const) {
    const [low, high] = [(-farthest - start) / way, (farthest - start) / way];
    if (way === 0) {
      if (Math.abs(start) > farthest) leave = -1;
    } else [enter, leave] = [Math.max(enter, Math.min(low, high)), Math.min(leave, Math.max(low, high))];
  }
  if (enter < leave) {
    const at = (share: number): readonly [number, number] => [fromX + (x - fromX) * share, fromY + (y - fromY) * share];
    if (enter > 0) sink.moveTo(...at(enter));
    sink.lineTo(...at(leave));
  }
  if (leave < 1) sink.moveTo(bounded(x), bounded(y));
}

/**
 * Traces the area between two columns, as one closed figure for each uninterrupted part. A bucket
 * with a single value has no height there.
 */
export function traceBand(
  sink: PathSink,
  xs: Float64Array,
  low: Float64Array,
  high: Float64Array,
  place: Placing,
  from = 0,
  to: number = xs.length,
): void {
  let start = from;
  for (let i = from; i <= to; i++) {
    const x = i < to ? place.x(xs[i]!) : Number.NaN;
    const known = i < to && Math.abs(x) < Infinity && Math.abs(place.y(low[i]!)) < Infinity && Math.abs(place.y(high[i]!)) < Infinity;
    if (known) continue;
    if (i - start > 1) traceFigure(sink, xs, low, high, place, start, i);
    start = i + 1;
  }
}

function traceFigure(
  sink: PathSink,
  xs: Float64Array,
  low: Float64Array,
  high: Float64Array,
  place: Placing,
  from: number,
  to: number,
): void {
  sink.moveTo(place.x(xs[from]!), place.y(high[from]!));
  for (let i = from + 1; i < to; i++) sink.lineTo(place.x(xs[i]!), place.y(high[i]!));
  for (let i = to - 1; i >= from; i--) sink.lineTo(place.x(xs[i]!), place.y(low[i]!));
}

/** The text of an SVG path, in whole tenths; relative moves are the shortest. */
export class SvgPath implements PathSink {
  #text = '';
  #x = 0;
  #y = 0;
  #drawing = false;

  moveTo(x: number, y: number): void {
    this.#x = tenths(x);
    this.#y = tenths(y);
    this.#text += `M${this.#x / 10} ${this.#y / 10}`;
    this.#drawing = false;
  }

  lineTo(x: number, y: number): void {
    const dx = tenths(x) - this.#x;
    const dy = tenths(y) - this.#y;
    if (dx === 0 && dy === 0) return;
    this.#x += dx;
    this.#y += dy;
    this.#text += `${this.#drawing ? (dx < 0 ? '' : ' ') : 'l'}${dx / 10}${dy < 0 ? '' : ' '}${dy / 10}`;
    this.#drawing = true;
  }

  toString(): string {
    return this.#text;
  }
}

/** Clamped, so that distant values do not become numbers that are invalid in a path. */
function tenths(pixels: number): number {
  return Math.round(Math.min(1e5, Math.max(-1e5, pixels)) * 10);
}
