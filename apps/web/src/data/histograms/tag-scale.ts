import type { Extent } from '#charts';
import { columnsOf, densestColumn } from './columns.ts';
import { edgesOf, type Histogram, percentilesOf } from './histogram.ts';

/** The percentiles of one step. */
export interface StepPercentiles {
  readonly step: number;
  /** The step as logged. */
  readonly text: number | string;
  readonly values: readonly number[];
}

/**
 * The axes that all histograms of a tag share, so that equal shapes of different runs and steps
 * look equal.
 */
export class TagScale {
  readonly #lists: readonly (readonly Histogram[])[];
  readonly #densest = new Map<number, number>();
  #percentiles: { readonly steps: Extent; readonly values: Extent } | null = null;
  /** The range from the smallest to the largest value; null if there are no bins. */
  readonly edges: Extent | null;

  /** `lists`: the histograms of each run. */
  constructor(lists: readonly (readonly Histogram[])[]) {
    this.#lists = lists;
    this.edges = edgesOf(lists.flat());
  }

  /** Values per pixel in the densest column, on an axis of `width` pixels. Always above 0. */
  densest(width: number): number {
    const known = this.#densest.get(width);
    if (known !== undefined || !this.edges) return known ?? 1;
    const axis = { ...this.edges, width };
    let densest = 0;
    for (const list of this.#lists) for (const { bins } of list) densest = Math.max(densest, densestColumn(columnsOf(bins, axis)));
    this.#densest.set(width, densest || 1);
    return densest || 1;
  }

  /**
   * Axes for percentiles over the steps. If a tag has a single step, that step spans the drawing.
   */
  get percentiles(): { readonly steps: Extent; readonly values: Extent } {
    this.#percentiles ??= percentileAxes(this.#lists.flatMap(percentilesAlong));
    return this.#percentiles;
  }
}

/** The percentiles of each step with values. */
export function percentilesAlong(list: readonly Histogram[]): StepPercentiles[] {
  return list.flatMap((one) => {
    const values = percentilesOf(one);
    return values ? [{ step: Number(one.step), text: one.step, values }] : [];
  });
}

function percentileAxes(known: readonly StepPercentiles[]): { readonly steps: Extent; readonly values: Extent } {
  let [first, last, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { step, values } of known) {
    [first, last] = [Math.min(first, step), Math.max(last, step)];
    [low, high] = [Math.min(low, values[0]!), Math.max(high, values.at(-1)!)];
  }
  if (known.length === 0) [first, last, low, high] = [0, 1, 0, 1];
  if (first === last) [first, last] = [first - 0.5, last + 0.5];
  const air = low === high ? Math.max(1e-12, Math.abs(low) * 0.1) : 0;
  return { steps: { min: first, max: last }, values: { min: low - air, max: high + air } };
}
