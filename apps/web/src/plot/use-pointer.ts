import { type PointerEvent, type RefObject, useRef } from 'react';

/** Pixels from the top left corner of a plot. */
export interface PlotPlace {
  readonly x: number;
  readonly y: number;
}

interface PointerActions {
  readonly move: (at: PlotPlace) => void;
  readonly leave: () => void;
  /** If absent, a press counts as a pointer move. */
  readonly press?: {
    /** Called before `move`, while the pointer is pressed. */
    readonly drag: (from: PlotPlace, to: PlotPlace, event: PointerEvent) => void;
    readonly release: (from: PlotPlace, to: PlotPlace, event: PointerEvent) => void;
    /**
     * Called after `release`, or instead of it if the browser starts to scroll or the pointer
     * leaves.
     */
    readonly end: () => void;
  };
}

/**
 * Event handlers for a plot's element. Positions are in the element's pixels. A pressed mouse is
 * captured until it is released, even outside the plot. A finger can scroll the page.
 */
export function usePointer(element: RefObject<HTMLElement | null>, { move, leave, press }: PointerActions) {
  const start = useRef<PlotPlace | null>(null);
  const onPointerMove = (event: PointerEvent): void => {
    const at = placeIn(element, event);
    if (start.current) press?.drag(start.current, at, event);
    move(at);
  };
  if (!press) return { onPointerMove, onPointerLeave: leave };
  const end = (): void => {
    start.current = null;
    press.end();
  };
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      start.current = placeIn(element, event);
      if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove,
    onPointerUp: (event: PointerEvent): void => {
      if (!start.current) return;
      press.release(start.current, placeIn(element, event), event);
      end();
    },
    onPointerCancel: end,
    onPointerLeave: (): void => {
      end();
      leave();
    },
  };
}

/** The position of an event within an element. */
export function placeIn(element: RefObject<HTMLElement | null>, { clientX, clientY }: PointerEvent): PlotPlace {
  const { left, top } = element.current!.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}
