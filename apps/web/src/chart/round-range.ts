import type { Extent, View } from '#charts';

/** Drops digits finer than a pixel, because steps are whole numbers and URLs should be short. */
export function roundRange({ min, max }: Extent, xAxis: string): NonNullable<View['range']> {
  const digits = xAxis === 'step' ? 0 : Math.max(0, 3 - Math.floor(Math.log10(max - min)));
  const from = Number(min.toFixed(Math.min(digits, 20)));
  const to = Number(max.toFixed(Math.min(digits, 20)));
  return from < to ? { from, to } : { from: Math.floor(min), to: Math.floor(min) + 1 };
}
