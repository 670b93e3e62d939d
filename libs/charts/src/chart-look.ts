/** Where in a chart its plot lies: pixels from its edges. The page's canvases have the same. */
export const plotInsets = { left: 48, top: 8, right: 12, bottom: 24 } as const;

/**
 * How opaque the parts of a chart are: what was logged behind the smoothed line; the band from the smallest to the largest value of each bucket; what stands
 * out of it.
 */
export const opacities = { raw: 0.28, band: 0.14, spike: 0.6 } as const;

/** Bands of many runs over one another hide the lines. */
export function bandOpacity(lines: number): number {
  return lines <= 3 ? opacities.band : lines <= 12 ? opacities.band / 2 : 0;
}
