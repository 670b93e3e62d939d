/** Where in a chart its plot lies: pixels from its edges. The page's canvases have the same. */
export const plotInsets = { left: 48, top: 8, right: 20, bottom: 24 } as const;

/** What the left inset may be: labels of the y axis are never cut. */
export const leftInsets = [48, 72, 96, 128, 184] as const;

/** How opaque the parts of a chart are: what was logged behind the smoothed line; what stands out of a bucket. */
export const opacities = { raw: 0.28, spike: 0.6 } as const;

/** How the lines of a chart are drawn, which lie over one another where there are many. */
export interface LinesLook {
  /** Pixels of the picture. */
  readonly width: number;
  readonly opacity: number;
  /** Of the band from the smallest to the largest value of each bucket; 0: none, as bands of many runs hide the lines. */
  readonly band: number;
  /** Whether what was logged stands behind the smoothed lines. */
  readonly logged: boolean;
  /** As thin as can be, with plain corners: a canvas draws such lines in a tenth of the time. */
  readonly many: boolean;
}

/** The look of so many lines, on the page and in pictures. */
export function linesLook(lines: number): LinesLook {
  const many = lines > 100;
  return {
    width: many ? 1 : 1.5,
    opacity: lines > 60 ? 0.6 : 1,
    band: lines <= 3 ? 0.14 : lines <= 12 ? 0.07 : 0,
    logged: lines <= 200,
    many,
  };
}
