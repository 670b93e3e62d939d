import type { Tick } from '#charts';

/** What a card draws of a run's histograms. */
export interface Drawing {
  /** `opacity`: where the style sheet says nothing else. */
  readonly paths: readonly { readonly d: string; readonly kind: 'step' | 'band' | 'middle'; readonly opacity?: number }[];
  /** `at`: pixels from the corner of the drawing. */
  readonly x: readonly (Tick & { readonly at: number })[];
  readonly y: readonly (Tick & { readonly at: number })[];
  /** What is at these pixels, and the path that shows it (-1: none alone). */
  read(x: number, y: number): { readonly index: number; readonly text: string } | null;
}

/** Hundredths of a pixel: the area of a low, long shape still is its count. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
