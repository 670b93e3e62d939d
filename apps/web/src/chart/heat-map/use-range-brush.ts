import { type PointerEvent, useState } from 'react';
import type { PlotPlace } from '../../plot/use-pointer.ts';

/** A press that moves fewer pixels is a click. */
const minDrag = 4;

/** Pixels from the left edge of the plot. */
type Brush = readonly [from: number, to: number];

/**
 * Selects a range by dragging with the mouse. `across` is in pixels from the left edge of the plot.
 */
export function useRangeBrush(across: (place: PlotPlace) => number, onDrag: (brush: Brush) => void) {
  const [brush, setBrush] = useState<Brush | null>(null);
  return {
    brush,
    press: {
      drag: (from: PlotPlace, to: PlotPlace, { pointerType }: PointerEvent): void => {
        const [start, at] = [across(from), across(to)];
        if (pointerType === 'mouse' && Math.abs(at - start) >= minDrag) setBrush([Math.min(at, start), Math.max(at, start)]);
      },
      release: (): void => {
        if (brush) onDrag(brush);
      },
      end: (): void => setBrush(null),
    },
  };
}
