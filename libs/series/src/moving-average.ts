/**
 * Debiased exponential moving average of one series, as TensorBoard smooths: average · weight + (1 − weight) · value, divided by
 * 1 − weight^n after n values. Values that are not finite have no part in it. A constant series stays constant, without rounding.
 */
export class MovingAverage {
  readonly #weight: number;
  #average = 0;
  /** weight^n: the share of the average that its start at 0 still makes up. */
  #share = 1;

  /** `weight`: 0 to below 1, what each value keeps of the past. */
  constructor(weight: number) {
    this.#weight = weight;
  }

  /** weight^n after n finite values; 1 before the first one. */
  get share(): number {
    return this.#share;
  }

  /** Forgets all values. */
  reset(): void {
    this.#average = 0;
    this.#share = 1;
  }

  /** Takes the values from index `from` to before `to`. */
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

  /** What a point of this value shows, behind all values so far: the average with it, or the value itself where it is not finite. */
  after(value: number): number {
    if (!(Math.abs(value) < Infinity)) return value;
    return moved(this.#average, value, (1 - this.#weight) / (1 - this.#share * this.#weight));
  }

  /** What the point shows that was added last, whose value this is. */
  at(value: number): number {
    return Math.abs(value) < Infinity ? this.#average : value;
  }
}

/** The average moved towards the value by its part; where their difference leaves float64, by the sum of both parts. */
function moved(average: number, value: number, part: number): number {
  if (part === 1) return value;
  const change = value - average;
  return Math.abs(change) < Infinity ? average + change * part : average * (1 - part) + value * part;
}

/**
 * Values before a point that decide its average, for a weight: older ones have less than 2^-128 of it, which is below the precision of float64 even where they
 * are 10^22 times as large.
 */
export function memoryOf(weight: number): number {
  return weight === 0 ? 1 : Math.ceil((-128 * Math.LN2) / Math.log(weight));
}
