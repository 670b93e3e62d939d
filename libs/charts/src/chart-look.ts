/** The position of the plot in a chart: pixels from its edges. The page's canvases use the same. */
export const plotInsets = { left: 48, top: 8, right: 20, bottom: 24 } as const;

/** Possible left insets, so that labels of the y axis are never cut off. */
export const leftInsets = [48, 72, 96, 128, 184] as const;

/**
 * Opacity of the parts of a chart: the logged values behind the smoothed line; spikes beyond their
 * neighbors.
 */
export const opacities = { raw: 0.28, spike: 0.6 } as const;

/** The style of a chart's lines, which overlap if there are many. */
export interface LinesLook {
  /** Pixels of the picture. */
  readonly width: number;
  readonly opacity: number;
  /**
   * Opacity of the band from the smallest to the largest value of each bucket; 0 for none, because
   * the bands of many runs would hide the lines.
   */
  readonly band: number;
  /** Whether the logged values are drawn behind the smoothed lines. */
  readonly logged: boolean;
  /**
   * Whether lines are as thin as possible, with plain corners: a canvas draws them in 10% of the
   * time.
   */
  readonly many: boolean;
}

/** From this number on, lines are translucent. */
const manyLines = 50;

/** The style for this number of lines, on the page and in pictures. */
export function linesLook(lines: number): LinesLook {
  const many = lines > 100;
  // Where many lines overlap, the image is darker
  const crowded = Math.max(0.25, 0.6 * Math.sqrt(manyLines / lines));
  return {
    width: many ? 1 : 1.5,
    opacity: lines >= manyLines ? crowded : 1,
    band: lines <= 3 ? 0.14 : lines <= 12 ? 0.07 : 0,
    logged: lines <= 200,
    many,
  };
}
