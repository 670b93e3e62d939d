import { type PointerEvent, type RefObject, useRef, useState } from 'react';
import { placeIn, type PlotPlace } from '../../plot/use-pointer.ts';

/**
 * How close to an axis a drag must start to select a range, in pixels: with a mouse, and with a
 * finger.
 */
const axisReach = { fine: 14, coarse: 20 } as const;
/** A press that moves fewer pixels is a click. */
const minDrag = 4;

/** A range that is being dragged, in pixels from the top. */
export interface Brush {
  readonly axis: number;
  readonly from: number;
  readonly to: number;
}

interface BrushActions {
  /** The horizontal positions of the axes. */
  readonly axes: readonly number[];
  readonly canBrush: (axis: number) => boolean;
  readonly start: () => void;
  /** Called when the pointer moves and nothing is being dragged. */
  readonly move: (at: PlotPlace) => void;
  readonly drag: (brush: Brush) => void;
  /** `axis`: the clicked axis. Null if no axis was clicked. */
  readonly click: (at: PlotPlace, axis: number | null) => void;
}

/** Distinguishes clicks from ranges dragged along an axis, in pixels of the element. */
export function useAxisBrush(element: RefObject<HTMLElement | null>, actions: BrushActions) {
  const [brush, setBrush] = useState<Brush | null>(null);
  const isPressed = useRef(false);
  const cancel = (): void => {
    isPressed.current = false;
    setBrush(null);
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    isPressed.current = true;
    const { x, y } = placeIn(element, event);
    // Between the axes, a finger scrolls the page
    const max = event.pointerType === 'touch' ? axisReach.coarse : axisReach.fine;
    const axis = actions.axes.findIndex((one) => Math.abs(one - x) <= max);
    if (axis < 0 || !actions.canBrush(axis)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setBrush({ axis, from: y, to: y });
    actions.start();
  };
  const onPointerMove = (event: PointerEvent): void => {
    const at = placeIn(element, event);
    if (brush) setBrush({ ...brush, to: at.y });
    else actions.move(at);
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (!isPressed.current) return;
    const at = placeIn(element, event);
    if (brush && Math.abs(at.y - brush.from) >= minDrag) actions.drag({ ...brush, to: at.y });
    else actions.click(at, brush && brush.axis);
    cancel();
  };
  return { brush, cancel, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: cancel } };
}
