import { type PointerEvent, useRef, useState } from 'react';

/** A press that moves less is a click. */
const minDrag = 4;

/** Pixels from the left edge of the plot. */
type Brush = readonly [from: number, to: number];

/** A range that the mouse drags. `placeOf`: the pointer's pixels from the left edge of the plot. */
export function useRangeBrush(placeOf: (event: PointerEvent) => number, onDrag: (brush: Brush) => void) {
  const start = useRef<number | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  const onPointerCancel = (): void => {
    start.current = null;
    setBrush(null);
  };
  return {
    brush,
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0 || event.pointerType !== 'mouse') return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = placeOf(event);
    },
    onPointerMove: (event: PointerEvent): void => {
      const at = placeOf(event);
      if (start.current !== null && Math.abs(at - start.current) >= minDrag)
        setBrush([Math.min(at, start.current), Math.max(at, start.current)]);
    },
    onPointerUp: (): void => {
      onPointerCancel();
      if (brush) onDrag(brush);
    },
    onPointerCancel,
  };
}
