import { type Dispatch, type PointerEvent, type RefObject, type SetStateAction, useEffect, useRef } from 'react';

/** Position and scale of a drawing on its canvas. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

type SetPlace = Dispatch<SetStateAction<Place>>;

/** Scales the drawing by `ratio`, within limits, and keeps `point` in place. */
export function zoomed({ x, y, scale }: Place, ratio: number, point: Point): Place {
  const next = Math.min(4, Math.max(0.05, scale * ratio));
  const real = next / scale;
  return { scale: next, x: point.x - (point.x - x) * real, y: point.y - (point.y - y) * real };
}

/**
 * Makes the wheel zoom around the pointer. A listener added by React could not prevent the page
 * from scrolling.
 */
export function useWheel(canvas: RefObject<SVGSVGElement | null>, setPlace: SetPlace): void {
  useEffect(() => {
    const element = canvas.current!;
    const zoom = (event: WheelEvent): void => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const point = { x: event.clientX - left, y: event.clientY - top };
      setPlace((before) => zoomed(before, 2 ** (-event.deltaY / 300), point));
    };
    element.addEventListener('wheel', zoom, { passive: false });
    return () => element.removeEventListener('wheel', zoom);
  }, [canvas, setPlace]);
}

/** One pointer pans the drawing, and two pointers zoom it around their midpoint. */
export function useFingers(canvas: RefObject<SVGSVGElement | null>, setPlace: SetPlace) {
  const down = useRef(new Map<number, Point>());
  const at = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const lift = ({ pointerId }: PointerEvent): void => void down.current.delete(pointerId);
  return {
    onPointerDown: (event: PointerEvent): void => void down.current.set(event.pointerId, at(event)),
    onPointerMove: (event: PointerEvent): void => {
      if (event.buttons === 0) return lift(event);
      if (!down.current.has(event.pointerId)) return;
      const before = grip([...down.current.values()]);
      down.current.set(event.pointerId, at(event));
      const after = grip([...down.current.values()]);
      setPlace((place) => {
        const moved = { ...place, x: place.x + after.middle.x - before.middle.x, y: place.y + after.middle.y - before.middle.y };
        return before.width > 0 ? zoomed(moved, after.width / before.width, after.middle) : moved;
      });
    },
    onPointerUp: lift,
    onPointerCancel: lift,
  };
}

/**
 * The state of a gesture: the midpoint of the first two pointers, and the distance between them.
 */
function grip([one, two = one]: readonly Point[]): { readonly middle: Point; readonly width: number } {
  return { middle: { x: (one!.x + two!.x) / 2, y: (one!.y + two!.y) / 2 }, width: Math.hypot(one!.x - two!.x, one!.y - two!.y) };
}
