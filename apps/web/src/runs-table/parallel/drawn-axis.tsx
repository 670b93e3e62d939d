import { Fragment } from 'react';
import { cellText } from '../cell-text.ts';
import { cut } from '../scatter/plot-columns.ts';
import type { RunColumn } from '../table-columns.ts';
import type { AxisRange } from './axis-range.ts';
import type { ParallelAxis } from './parallel-axis.ts';
import { bottom, clamped, down, offAxis, top } from './parallel-layout.ts';

/** Maximum ticks on an axis, for numbers and for values. */
const maxTicks = { numbers: 6, values: 14 } as const;

interface AxisProps {
  readonly column: RunColumn;
  readonly axis: ParallelAxis;
  readonly x: number;
  readonly range: AxisRange | null;
}

/** An axis with its ticks and its selected range. */
export function DrawnAxis({ column, axis, x, range }: AxisProps) {
  const ticks = axis.ticks(axis.scale ? maxTicks.numbers : maxTicks.values, (cell) => cut(cellText(column, cell), 12));
  return (
    <>
      <path className="axis" d={`M${x} ${top}V${bottom}`} />
      {range && spansOf(axis, range).map(([low, high]) => <RangeMark key={low} x={x} low={low} high={high} min={3} />)}
      {ticks.map(({ label, place }) => (
        <Fragment key={place}>
          <path className="axis" d={`M${x} ${down(place)}h-4`} />
          <text x={x - 8} y={down(place) + 4} textAnchor="end">
            {label}
          </text>
        </Fragment>
      ))}
      {axis.hasMissing && (
        <text x={x - 8} y={offAxis + 4} textAnchor="end">
          no value
        </text>
      )}
    </>
  );
}

interface RangeMarkProps {
  /** The horizontal position of the axis. */
  readonly x: number;
  /** The lower and upper end, in pixels from the top. */
  readonly low: number;
  readonly high: number;
  /** Minimum height. */
  readonly min?: number;
}

/** A part of an axis that is selected or being dragged. */
export function RangeMark({ x, low, high, min = 0 }: RangeMarkProps) {
  return <rect className="brush" x={x - 6} y={clamped(high)} width={12} height={Math.max(min, clamped(low) - clamped(high))} />;
}

/**
 * The parts of an axis that a range selects: their lower and upper ends, in pixels from the top.
 */
function spansOf(axis: ParallelAxis, range: AxisRange): (readonly [number, number])[] {
  if (range.kind === 'bounds') {
    if (!axis.scale) return [];
    const [low, high] = [axis.placeOf(range.low), axis.placeOf(range.high)];
    return [[down(Number.isNaN(low) ? 0 : low), down(Number.isNaN(high) ? 1 : high)]];
  }
  const half = axis.scale ? 0 : 0.4 / axis.values.length;
  return range.values.flatMap((value) => {
    const part = axis.placeOf(value);
    return Number.isNaN(part) ? [] : [[down(part - half), down(part + half)] as const];
  });
}
