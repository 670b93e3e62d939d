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
 * Minimum assumed distance between two fingers, in pixels, so that a small tremor does not cause a
 * large zoom.
 */
const minApart = 24;
/** The distance between the fingers must change by at least this factor. */
const minSpread = 1.1;

/**
 * The part of an axis that a pinch expands to `width` pixels, so that the same points stay under
 * the fingers. Returns `all` if the fingers moved closer together, and null if the gesture is
 * undecided.
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
  /** Called when the fingers move. Null if there are no longer exactly two fingers. */
  move(pinch: Pinch | null): void;
  /** Called when a finger is lifted. `pinch` is the final state. */
  end(pinch: Pinch): void;
}

/** Detects two-finger gestures on an element. A single finger scrolls the page as usual. */
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
  // Keeps the page from scrolling or zooming with two fingers
  for (const type of ['touchstart', 'touchmove'] as const)
    element.addEventListener(
      type,
      (event) => {
        if (event.touches.length > 1 && event.cancelable) event.preventDefault();
      },
      { passive: false },
    );
}
