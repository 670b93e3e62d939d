import type { Cell } from '../../runs/conditions.ts';
import type { ParallelLines } from './draw-parallel.ts';
import type { ParallelAxis } from './parallel-axis.ts';

/** The height of the plot, in pixels. */
export const height = 300;
/** The ends of the axes, in pixels from the top. */
export const top = 10;
export const bottom = 264;
/** Where lines without a position on an axis cross the axis. */
export const offAxis = 286;
/** Maximum space beside the outermost axes. */
const maxPadding = 100;

/** Pixels from the top of the plot. */
export function down(part: number): number {
  return Math.round(10 * (bottom - part * (bottom - top))) / 10;
}

/** The position on an axis that corresponds to this many pixels from the top. */
export function placeAt(y: number): number {
  return (bottom - y) / (bottom - top);
}

export function clamped(y: number): number {
  return Math.max(top, Math.min(bottom, y));
}

/** Where lines cross the axes. `slot`: the width of an axis name. */
export function layout(
  axes: readonly ParallelAxis[],
  cells: readonly (readonly Cell[])[],
  count: number,
  width: number,
): { readonly lines: ParallelLines; readonly slot: number } {
  const padding = Math.min(width / axes.length / 2, maxPadding);
  const gap = axes.length < 2 ? 0 : (width - 2 * padding) / (axes.length - 1);
  const x = axes.map((_, i) => Math.round(axes.length < 2 ? width / 2 : padding + i * gap));
  const y = new Float32Array(count * axes.length);
  for (const [i, axis] of axes.entries())
    for (let line = 0; line < count; line++) {
      const part = axis.placeOf(cells[i]![line]!);
      y[line * axes.length + i] = Number.isNaN(part) ? offAxis : down(part);
    }
  return { lines: { x, y, count }, slot: Math.max(0, Math.floor(2 * padding) - 4) };
}
