import { makeScale, naturally, type Scale, type ScaleKind, type Tick, valueTicks, visibleText, xTicks } from '#charts';
import type { Cell } from '../../runs/conditions.ts';

/**
 * Maximum distinct texts on an axis: more labels would be unreadable. Runs with other texts are
 * omitted.
 */
export const maxValues = 30;

/** Padding beyond the outermost points, as a fraction of the axis. */
const padding = 0.04;

/** An axis of the plot: a scale for numbers, or a position for each distinct value. */
export interface ScatterAxis {
  /** Null if the axis shows {@link values}. */
  readonly scale: Scale | null;
  /** The values of an axis without a scale, in order. */
  readonly values: readonly Cell[];
  /** A position from 0 to 1; NaN if the cell has no position on this axis. */
  placeOf(cell: Cell): number;
  /** Ticks with their positions. `label`: returns a value as displayed. */
  ticks(max: number, label: (cell: Cell) => string): readonly (Tick & { readonly place: number })[];
}

/** The unit of an axis: seconds since 1970, seconds, or any other number. */
export type NumbersOf = 'time' | 'duration' | 'number';

/**
 * The axis for these cells. If any cell is a string or a boolean, each value has its own position;
 * otherwise numbers have a scale. On a logarithmic scale, only positive numbers have a position.
 */
export function axisOf(cells: readonly Cell[], kind: ScaleKind, numbers: NumbersOf = 'number'): ScatterAxis {
  return cells.some((cell) => typeof cell === 'string' || typeof cell === 'boolean')
    ? axisOfValues(cells)
    : axisOfNumbers(cells, kind, numbers);
}

function axisOfNumbers(cells: readonly Cell[], kind: ScaleKind, numbers: NumbersOf): ScatterAxis {
  let [min, max] = [Infinity, -Infinity];
  for (const cell of cells) {
    if (typeof cell !== 'number' || !Number.isFinite(cell) || (kind === 'log' && cell <= 0)) continue;
    min = Math.min(min, cell);
    max = Math.max(max, cell);
  }
  const scale = min > max ? makeScale('linear', 0, 1) : padded(kind, min, max);
  return {
    scale,
    values: [],
    placeOf: (cell) => (typeof cell === 'number' && Number.isFinite(cell) ? scale.position(cell) : Number.NaN),
    ticks: (count) => ticksOf(scale, count, numbers).map((tick) => ({ ...tick, place: scale.position(tick.value) })),
  };
}

function ticksOf(scale: Scale, max: number, numbers: NumbersOf): Tick[] {
  if (numbers === 'duration') return xTicks('relative', scale, max);
  return numbers === 'time' && scale.kind === 'linear' ? xTicks('wall', scale, max, zoneOffset) : valueTicks(scale, max);
}

/** Seconds by which the reader's time is ahead of UTC. */
function zoneOffset(seconds: number): number {
  return -60 * new Date(seconds * 1000).getTimezoneOffset();
}

function padded(kind: ScaleKind, min: number, max: number): Scale {
  const { forward, inverse } = makeScale(kind, min, max);
  const [low, high] = [forward(min), forward(max)];
  const wide = low === high ? Math.max(1e-9, Math.abs(low) * 0.1) : (high - low) * padding;
  return makeScale(kind, inverse(low - wide), inverse(high + wide));
}

function axisOfValues(cells: readonly Cell[]): ScatterAxis {
  const values = [...new Set(cells.filter((cell) => cell !== null))].sort(compareValues).slice(0, maxValues);
  const places = new Map<Cell, number>(values.map((value, i) => [value, (i + 0.5) / values.length]));
  return {
    scale: null,
    values,
    placeOf: (cell) => places.get(cell) ?? Number.NaN,
    ticks: (max, label) => {
      const every = Math.ceil(values.length / max);
      return values.flatMap((value, i) =>
        i % every === 0 ? [{ value: i, label: visibleText(label(value)), place: places.get(value)! }] : [],
      );
    },
  };
}

function compareValues(a: NonNullable<Cell>, b: NonNullable<Cell>): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return naturally(String(a), String(b));
}
