import type { Tick } from '#charts';

/** A card's drawing of the histograms of a run. */
export interface Drawing {
  /** `opacity`: applies unless the style sheet sets another. */
  readonly paths: readonly { readonly d: string; readonly kind: 'step' | 'band' | 'middle'; readonly opacity?: number }[];
  /** `at`: pixels from the corner of the drawing. */
  readonly x: readonly (Tick & { readonly at: number })[];
  readonly y: readonly (Tick & { readonly at: number })[];
  /**
   * What is drawn at a pixel position, and the path that shows it (-1 if there is no single path).
   */
  read(x: number, y: number): { readonly index: number; readonly text: string } | null;
}

/**
 * Rounds to hundredths of a pixel, so that the area of a low, long shape still matches its count.
 */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
