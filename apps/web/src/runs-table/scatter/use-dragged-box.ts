import { type PointerEvent, type RefObject, useRef, useState } from 'react';
import type { PlotPlace } from './use-plot-reading.ts';

/** A press that moves less is a click. */
const minDrag = 5;

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface PointerActions {
  readonly move: (at: PlotPlace) => void;
  readonly leave: () => void;
  readonly click: (at: PlotPlace) => void;
  /** `isMore`: in addition to what is selected. */
  readonly drag: (box: Rectangle, isMore: boolean) => void;
}

/** Tells clicks from dragged boxes, in pixels of the element. */
export function useDraggedBox(element: RefObject<HTMLElement | null>, actions: PointerActions) {
  const start = useRef<PlotPlace | null>(null);
  const [box, setBox] = useState<Rectangle | null>(null);
  const placeOf = ({ clientX, clientY }: PointerEvent): PlotPlace => {
    const { left, top } = element.current!.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const boxTo = ({ x, y }: PlotPlace): Rectangle | null => {
    if (!start.current) return null;
    const { x: fromX, y: fromY } = start.current;
    if (Math.hypot(x - fromX, y - fromY) < minDrag) return null;
    return { left: Math.min(x, fromX), right: Math.max(x, fromX), top: Math.min(y, fromY), bottom: Math.max(y, fromY) };
  };
  const end = (): void => {
    start.current = null;
    setBox(null);
  };
  return {
    box,
    handlers: {
      onPointerDown: (event: PointerEvent): void => {
        if (event.button !== 0) return;
        start.current = placeOf(event);
        if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent): void => {
        const at = placeOf(event);
        setBox(boxTo(at));
        actions.move(at);
      },
      onPointerUp: (event: PointerEvent): void => {
        if (!start.current) return;
        const dragged = boxTo(placeOf(event));
        if (dragged) actions.drag(dragged, event.shiftKey);
        else actions.click(placeOf(event));
        end();
      },
      onPointerCancel: end,
      onPointerLeave: (): void => {
        end();
        actions.leave();
      },
    },
  };
}
