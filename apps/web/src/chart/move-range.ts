import type { Extent, Scale } from '#charts';

/**
 * Zoom factor per pixel of wheel movement, as in map applications: 100 pixels (one notch) zoom by
 * about a third.
 */
const perPixel = 0.003;
/**
 * Pixels per line and per page, for mice that scroll by line or by page (`WheelEvent.deltaMode`).
 */
const pixelsOf = [1, 16, 400] as const;

/**
 * The range of an axis after the wheel zooms it around the point at `share` of its length (0 to 1).
 * `all`: everything is visible.
 */
export function wheelRange(scale: Scale, whole: Extent, share: number, delta: number): Extent | 'all' {
  const [low, high] = [scale.forward(scale.min), scale.forward(scale.max)];
  const factor = Math.exp(Math.max(-200, Math.min(200, delta)) * perPixel);
  const around = low + share * (high - low);
  const from = Math.max(scale.forward(whole.min), around - (around - low) * factor);
  const to = Math.min(scale.forward(whole.max), around + (high - around) * factor);
  if (from <= scale.forward(whole.min) && to >= scale.forward(whole.max)) return 'all';
  return { min: scale.inverse(from), max: scale.inverse(to) };
}

/**
 * The range of an axis after it moves by `share` of its length, but not beyond `whole`. Null if it
 * cannot move.
 */
export function pannedRange(scale: Scale, whole: Extent, share: number): Extent | null {
  const [low, high] = [scale.forward(scale.min), scale.forward(scale.max)];
  const [min, max] = [Math.min(0, scale.forward(whole.min) - low), Math.max(0, scale.forward(whole.max) - high)];
  const way = Math.max(min, Math.min(max, share * (high - low)));
  return way === 0 ? null : { min: scale.inverse(low + way), max: scale.inverse(high + way) };
}

/** Wheel movement in pixels. */
export function wheelPixels({ deltaX, deltaY, deltaMode }: Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode'>): {
  readonly across: number;
  readonly along: number;
} {
  const unit = pixelsOf[deltaMode as 0 | 1 | 2] ?? 1;
  return { across: deltaX * unit, along: deltaY * unit };
}
