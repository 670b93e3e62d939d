/**
 * Debiased exponential moving average of one series, as in TensorBoard: average · weight + (1 −
 * weight) · value, divided by 1 − weight^n after n values. Non-finite values are ignored. A
 * constant series stays constant, without rounding.
 */
export class MovingAverage {
  readonly #weight: number;
  #average = 0;
  /** weight^n: the share of the initial 0 in the average. */
  #share = 1;

  /** `weight`: from 0 to below 1, the share of the past that each value keeps. */
  constructor(weight: number) {
    this.#weight = weight;
  }

  /** weight^n after n finite values; 1 before the first one. */
  get share(): number {
    return this.#share;
  }

  /** Resets the average. */
  reset(): void {
    this.#average = 0;
    this.#share = 1;
  }

  /** Adds the values from index `from` up to, not including, `to`. */
  add(values: Float64Array, from: number, to: number): void {
    const weight = this.#weight;
    let average = this.#average;
    let share = this.#share;
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      if (!(Math.abs(value) < Infinity)) continue;
      share *= weight;
      average = moved(average, value, (1 - weight) / (1 - share));
    }
    this.#average = average;
    this.#share = share;
  }

  /**
   * The smoothed value of a new point after all values so far: the average including it, or the
   * value itself if it is not finite.
   */
  after(value: number): number {
    if (!(Math.abs(value) < Infinity)) return value;
    return moved(this.#average, value, (1 - this.#weight) / (1 - this.#share * this.#weight));
  }

  /** The smoothed value of the last added point, given its value. */
  at(value: number): number {
    return Math.abs(value) < Infinity ? this.#average : value;
  }
}

/**
 * Moves the average toward the value by the given fraction; if their difference overflows float64,
 * uses the weighted sum instead.
 */
function moved(average: number, value: number, part: number): number {
  if (part === 1) return value;
  const change = value - average;
  return Math.abs(change) < Infinity ? average + change * part : average * (1 - part) + value * part;
}

/**
 * For a weight, the number of preceding values that determine the average. Older values contribute
 * less than 2^-128, which is below the precision of float64 even if they are 10^22 times as large.
 */
export function memoryOf(weight: number): number {
  return weight === 0 ? 1 : Math.ceil((-128 * Math.LN2) / Math.log(weight));
}
