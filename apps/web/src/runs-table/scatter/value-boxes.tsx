import { useMemo } from 'react';
import type { Cell } from '../../runs/conditions.ts';
import type { ScatterAxis } from './scatter-axis.ts';
import { boxOf } from './scatter-stats.ts';

/** Maximum number of boxes: more would be too narrow. */
const maxBoxes = 20;

interface BoxesProps {
  readonly cells: { readonly x: readonly Cell[]; readonly y: readonly Cell[] };
  readonly axes: { readonly x: ScatterAxis; readonly y: ScatterAxis };
  readonly across: (part: number) => number;
  readonly down: (part: number) => number;
}

/** Numbers over nonnumeric values: one box plot per value. */
export function ValueBoxes({ cells, axes, across, down }: BoxesProps) {
  const { x, y } = axes;
  const boxes = useMemo(() => {
    if (x.scale || !y.scale || x.values.length > maxBoxes) return [];
    return x.values.flatMap((value) => {
      const numbers = cells.y.filter((cell, i) => cells.x[i] === value && !Number.isNaN(y.placeOf(cell))).map(Number);
      const found = boxOf(numbers);
      return found === null ? [] : [{ value, ...found }];
    });
  }, [cells, x, y]);
  const half = 0.36 / Math.max(1, x.values.length);
  return boxes.map(({ value, low, q1, median, q3, high, count }) => {
    const place = x.placeOf(value);
    const [from, middle, to] = [across(place - half), across(place), across(place + half)];
    const [bottom, lower, center, upper, top] = [low, q1, median, q3, high].map((one) => down(y.placeOf(one))) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return (
      <path
        key={`${typeof value} ${value}`}
        className="box"
        data-box={JSON.stringify({ value, low, q1, median, q3, high, count })}
        d={`M${middle} ${top}V${upper}M${middle} ${lower}V${bottom}M${from} ${upper}H${to}V${lower}H${from}ZM${from} ${center}H${to}`}
      />
    );
  });
}
