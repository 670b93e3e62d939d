/** Pixels of an element. */
interface Finger {
  readonly left: number;
  readonly top: number;
}

/** The start and current positions of two fingers. */
export interface Pinch {
  readonly from: readonly [Finger, Finger];
  readonly to: readonly [Finger, Finger];
}

/**
 * Minimum assumed distance of two fingers, in pixels, so that a small tremor does not cause a large
 * zoom.
 */
const minApart = 24;
/** Fingers must change their distance by at least this factor. */
const minSpread = 1.1;

/**
 * The part of an axis of `width` pixels that should fill it, such that the points under the fingers
 * stay there. `all`: the fingers moved together; null: undecided.
 */
export function pinchedPart({ from, to }: Pinch, width: number): { readonly left: number; readonly right: number } | 'all' | null {
  const spread = apart(to) / apart(from);
  if (spread < 1 / minSpread) return 'all';
  if (spread < minSpread) return null;
  const [before, now] = [middle(from), middle(to)];
  const left = Math.max(0, before - now / spread);
  const right = Math.min(width, before + (width - now) / spread);
  return right > left ? { left, right } : null;
}

function apart([one, other]: readonly [Finger, Finger]): number {
  return Math.max(minApart, Math.hypot(one.left - other.left, one.top - other.top));
}

function middle([one, other]: readonly [Finger, Finger]): number {
  return (one.left + other.left) / 2;
}

interface PinchEvents {
  /** The fingers moved, or (null) there are no longer two. */
  move(pinch: Pinch | null): void;
  /** A finger was lifted: `pinch` is the final state. */
  end(pinch: Pinch): void;
}

/** Reports two-finger gestures on an element. A single finger scrolls the page as usual. */
export function followPinch(element: HTMLElement, { move, end }: PinchEvents): void {
  const fingers = new Map<number, Finger>();
  let from: readonly [Finger, Finger] | null = null;
  const placeOf = ({ clientX, clientY }: PointerEvent): Finger => {
    const { left, top } = element.getBoundingClientRect();
    return { left: clientX - left, top: clientY - top };
  };
  const pair = (): readonly [Finger, Finger] | null => (fingers.size === 2 ? ([...fingers.values()] as [Finger, Finger]) : null);
  element.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, placeOf(event));
    from = pair();
    move(null);
  });
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, placeOf(event));
    const to = pair();
    if (from && to) move({ from, to });
  });
  const lift = (event: PointerEvent): void => {
    const to = pair();
    if (!fingers.delete(event.pointerId)) return;
    const pinch = from && to && { from, to };
    from = null;
    move(null);
    if (pinch && event.type === 'pointerup') end(pinch);
  };
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  // The page must neither scroll nor zoom with two fingers
  for (const type of ['touchstart', 'touchmove'] as const)
    element.addEventListener(
      type,
      (event) => {
        if (event.touches.length > 1 && event.cancelable) event.preventDefault();
      },
      { passive: false },
    );
}
