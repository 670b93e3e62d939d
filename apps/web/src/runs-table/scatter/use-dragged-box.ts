import { type RefObject, useState } from 'react';
import { type PlotPlace, usePointer } from '../../plot/use-pointer.ts';

/** A press that moves fewer pixels is a click. */
const minDrag = 5;

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface BoxActions {
  readonly move: (at: PlotPlace) => void;
  readonly leave: () => void;
  readonly click: (at: PlotPlace) => void;
  /** `isMore`: adds to the current selection. */
  readonly drag: (box: Rectangle, isMore: boolean) => void;
}

/** Distinguishes clicks from dragged boxes, in pixels of the element. */
export function useDraggedBox(element: RefObject<HTMLElement | null>, actions: BoxActions) {
  const [box, setBox] = useState<Rectangle | null>(null);
  const handlers = usePointer(element, {
    move: actions.move,
    leave: actions.leave,
    press: {
      drag: (from, to) => setBox(boxBetween(from, to)),
      release: (from, to, { shiftKey }) => {
        const dragged = boxBetween(from, to);
        if (dragged) actions.drag(dragged, shiftKey);
        else actions.click(to);
      },
      end: () => setBox(null),
    },
  });
  return { box, handlers };
}

/** Returns null for a click. */
function boxBetween(from: PlotPlace, to: PlotPlace): Rectangle | null {
  if (Math.hypot(to.x - from.x, to.y - from.y) < minDrag) return null;
  return { left: Math.min(to.x, from.x), right: Math.max(to.x, from.x), top: Math.min(to.y, from.y), bottom: Math.max(to.y, from.y) };
}
