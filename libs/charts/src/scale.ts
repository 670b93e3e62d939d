/** The scales of an axis. */
export const scaleKinds = ['linear', 'log', 'symlog'] as const;
export type ScaleKind = (typeof scaleKinds)[number];

/** An axis: its range of values, and their positions. */
export interface Scale {
  readonly kind: ScaleKind;
  readonly min: number;
  readonly max: number;
  /**
   * A value in the space where the axis is linear; NaN if it has no position (log: 0 and below).
   */
  forward(value: number): number;
  /** The value at a position in that space. */
  inverse(place: number): number;
  /**
   * 0 at the smallest value, 1 at the largest, and beyond these for values outside. NaN for values
   * without a position.
   */
  position(value: number): number;
}

/**
 * An axis from `min` to `max`. `threshold` (symlog): below this magnitude, the axis is nearly
 * linear.
 *
 * ```ts
 * const scale = makeScale('log', 1, 1000);
 * assert.equal(scale.position(1000), 1);
 * assert.ok(Number.isNaN(scale.position(0))); // no position: lines are interrupted there
 * const middle = makeScale('symlog', -100, 100);
 * assert.equal(middle.position(0), 0.5);
 * ```
 */
export function makeScale(kind: ScaleKind, min: number, max: number, threshold = 1): Scale {
  const { forward, inverse } = spaceOf(kind, threshold);
  const low = forward(min);
  const span = forward(max) - low;
  return { kind, min, max, forward, inverse, position: (value) => (forward(value) - low) / span };
}

/** The linear space of a kind of axis. */
export function spaceOf(kind: ScaleKind, threshold = 1): Pick<Scale, 'forward' | 'inverse'> {
  switch (kind) {
    case 'linear':
      return { forward: (value) => value, inverse: (place) => place };
    case 'log':
      return { forward: (value) => (value > 0 ? Math.log10(value) : Number.NaN), inverse: (place) => 10 ** place };
    case 'symlog': {
      // asinh: linear around 0, logarithmic far from it, negative values included
      return { forward: (value) => Math.asinh(value / threshold), inverse: (place) => Math.sinh(place) * threshold };
    }
  }
}
