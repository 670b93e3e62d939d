/** Line height in pixels, as in the style sheet. */
export const lineHeight = 18;

/**
 * Maximum height of the element, in pixels. Browsers limit it; in Firefox, the limit is 17.8
 * million pixels. In a longer log, scrolling by one line height moves by more than one line.
 */
const maxHeight = 12_000_000;

/** The height of all lines together, for the scrollbar. */
export function heightOf(lines: number): number {
  return Math.min(lines * lineHeight, maxHeight);
}

/** The lines in view, and how many pixels of the first line are above the upper edge. */
export interface LogWindow {
  /** The number of the first line, starting at 1. */
  readonly first: number;
  readonly last: number;
  readonly above: number;
}

/** The lines in a viewport of this height, at this scroll position. */
export function windowAt(lines: number, scrollTop: number, viewport: number): LogWindow {
  const seen = viewport / lineHeight;
  const way = heightOf(lines) - viewport;
  const top = way <= 0 ? 0 : Math.min(1, Math.max(0, scrollTop / way)) * Math.max(0, lines - seen);
  const before = Math.floor(top);
  return { first: before + 1, last: Math.min(lines, Math.ceil(top + seen)), above: (top - before) * lineHeight };
}

/** The scroll position at which a line is in the middle of the viewport. */
export function scrollTo(line: number, lines: number, viewport: number): number {
  const seen = viewport / lineHeight;
  const top = Math.min(Math.max(0, lines - seen), Math.max(0, line - 1 - seen / 2));
  return lines <= seen ? 0 : (top / (lines - seen)) * (heightOf(lines) - viewport);
}
