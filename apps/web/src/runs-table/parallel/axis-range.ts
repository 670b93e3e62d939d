import type { Cell } from '../../runs/conditions.ts';
import { readChoices } from '../../runs/conditions.ts';
import type { ParallelAxis } from './parallel-axis.ts';

/** The part of an axis that a condition selects: bounds (null if absent), or values. */
export type AxisRange =
  | { readonly kind: 'bounds'; readonly low: number | null; readonly high: number | null }
  | { readonly kind: 'values'; readonly values: readonly NonNullable<Cell>[] };

/** Parses the condition of an axis. Null if there is no condition, or if it cannot be drawn. */
export function rangeOf(condition: string | undefined): AxisRange | null {
  const text = condition?.trim() ?? '';
  const values = readChoices(text);
  if (values) return { kind: 'values', values };
  const [, from, to] = /^(-?[\d.e+-]+)\.\.(-?[\d.e+-]+)$/i.exec(text) ?? [];
  if (isNumber(from) && isNumber(to)) return { kind: 'bounds', low: Number(from), high: Number(to) };
  const [, operator, bound] = /^(<=|>=|<|>|=)?\s*(\S+)$/.exec(text) ?? [];
  if (!isNumber(bound)) return null;
  const value = Number(bound);
  if (operator?.startsWith('<')) return { kind: 'bounds', low: null, high: value };
  return { kind: 'bounds', low: value, high: operator?.startsWith('>') ? null : value };
}

/** The condition for a range. Empty if the range selects everything. */
export function conditionOf(range: AxisRange): string {
  if (range.kind === 'values') {
    const values = range.values.filter((value) => typeof value !== 'number' || Number.isFinite(value)); // JSON cannot represent other numbers
    return values.length === 0 ? '' : JSON.stringify(values);
  }
  const { low, high } = range;
  if (low === null) return high === null ? '' : `<= ${high}`;
  return high === null ? `>= ${low}` : `${Math.min(low, high)}..${Math.max(low, high)}`;
}

/**
 * The range between two positions on an axis, from 0 to 1. An end beyond the outermost value is
 * open. `pixel`: the size of a pixel; bounds have only as many digits as it requires.
 */
export function rangeBetween(axis: ParallelAxis, cells: readonly Cell[], from: number, to: number, pixel: number): AxisRange {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const { scale } = axis;
  if (!scale)
    return {
      kind: 'values',
      values: axis.values.filter((value): value is NonNullable<Cell> => axis.placeOf(value) >= low && axis.placeOf(value) <= high),
    };
  const places = cells.map((cell) => axis.placeOf(cell)).filter((place) => !Number.isNaN(place));
  const min = places.reduce((a, b) => Math.min(a, b), 1);
  const max = places.reduce((a, b) => Math.max(a, b), 0);
  const [start, end] = [scale.forward(scale.min), scale.forward(scale.max)];
  const valueAt = (place: number): number =>
    shortest(scale.inverse(start + place * (end - start)), (value) => Math.abs(scale.position(value) - place) <= pixel / 2);
  return { kind: 'bounds', low: low <= min ? null : valueAt(low), high: high >= max ? null : valueAt(high) };
}

/** The number with the fewest digits that is close enough. */
function shortest(value: number, isGood: (value: number) => boolean): number {
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (isGood(short)) return short;
  }
  return value;
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !Number.isNaN(Number(text));
}
