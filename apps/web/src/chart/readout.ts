import { type ChartLine, type ChartScales, compareNumbers, entriesIn, naturally, nearestTo, shownValues, type TooltipSort } from '#charts';

/** The value of a line at a position on the x axis. */
export interface Reading {
  readonly line: ChartLine;
  /** Index into the line's columns. */
  readonly index: number;
  /** The point's position in the plot, in pixels. */
  readonly left: number;
  readonly top: number;
  /** Vertical distance from the pointer, in pixels. */
  readonly distance: number;
}

/** The pointer's position in a plot of this size, in pixels. */
export interface Pointer {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How far beyond its end a line can still be read, in pixels. */
const reachBeyondEnd = 24;

/**
 * The values of the lines at that position: the nearest first, those beyond the y axis last. Omits
 * lines without an entry there.
 */
export function readLines(lines: readonly ChartLine[], scales: ChartScales, pointer: Pointer): Reading[] {
  const { x, y } = scales;
  const at = x.inverse(x.forward(x.min) + (pointer.left / pointer.width) * (x.forward(x.max) - x.forward(x.min)));
  const readings: Reading[] = [];
  for (const line of lines) {
    const index = nearestSeen(line.x, at, x);
    if (index < 0) continue;
    const left = x.position(line.x[index]!) * pointer.width;
    const isEnd = index === 0 || index === line.x.length - 1;
    if (isEnd && Math.abs(left - pointer.left) > reachBeyondEnd && !isWithin(line, at)) continue;
    const top = (1 - y.position(shownValues(line)[index]!)) * pointer.height;
    readings.push({ line, index, left, top, distance: Number.isFinite(top) ? Math.abs(top - pointer.top) : Infinity });
  }
  const isOut = ({ top }: Reading): number => Number(top < 0 || top > pointer.height);
  return readings.sort((a, b) => isOut(a) - isOut(b) || a.distance - b.distance || 0);
}

/** The nearest visible entry; -1 if there is none. Hidden entries are never read. */
function nearestSeen(places: Float64Array, at: number, { min, max }: ChartScales['x']): number {
  const { from, to } = entriesIn(places, min, max);
  return from < to ? from + nearestTo(places.subarray(from, to), at) : -1;
}

/**
 * Selects as many readings as a table has rows, in the given order, and always includes the nearest
 * one. `readings`: the nearest first.
 */
export function tableRows(readings: readonly Reading[], sort: TooltipSort, max: number): readonly Reading[] {
  const [nearest] = readings;
  if (sort === 'nearest' || !nearest) return readings.slice(0, max);
  const value = ({ line, index }: Reading): number => shownValues(line)[index]!;
  const sorted = readings.toSorted((a, b) => {
    if (sort === 'alphabetical') return naturally(a.line.run, b.line.run);
    return compareNumbers(value(a), value(b), sort === 'descending');
  });
  const rows = sorted.slice(0, max);
  return rows.includes(nearest) ? rows : [...rows.slice(0, -1), nearest];
}

function isWithin({ x }: ChartLine, at: number): boolean {
  return x[0]! <= at && at <= x[x.length - 1]!;
}
