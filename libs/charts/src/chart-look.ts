/**
 * Distances from a chart's edges to its plot, in pixels. The page's canvases use the same
 * distances.
 */
export const plotInsets = { left: 48, top: 8, right: 20, bottom: 24 } as const;

/** Possible left insets, so that the labels of the y axis are never cut off. */
export const leftInsets = [48, 72, 96, 128, 184] as const;

/** Opacity of a chart's parts: of the logged values behind the smoothed line, and of spikes. */
export const opacities = { raw: 0.28, spike: 0.6 } as const;

/** The style of a chart's lines, which overlap if there are many. */
export interface LinesLook {
  /** Pixels of the picture. */
  readonly width: number;
  readonly opacity: number;
  /**
   * Opacity of the band from each bucket's smallest to its largest value. If there are many runs,
   * it is 0, because their bands would hide the lines.
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

/** If there are this many lines or more, they are translucent. */
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
