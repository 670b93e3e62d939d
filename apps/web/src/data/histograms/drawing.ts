import type { Tick } from '#charts';

/** A card's drawing of a run's histograms. */
export interface Drawing {
  /** `opacity`: used unless the style sheet sets another. */
  readonly paths: readonly { readonly d: string; readonly kind: 'step' | 'band' | 'middle'; readonly opacity?: number }[];
  /** `at`: pixels from the corner of the drawing. */
  readonly x: readonly (Tick & { readonly at: number })[];
  readonly y: readonly (Tick & { readonly at: number })[];
  /** The content at these pixels, and the path that shows it (-1 if there is no single one). */
  read(x: number, y: number): { readonly index: number; readonly text: string } | null;
}

/** Hundredths of a pixel, so that the area of a low, long shape still matches its count. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
