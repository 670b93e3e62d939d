import { elideNames, leftInset, visibleText } from '#charts';
import type { PlotBox } from '../../data/svg-axes.tsx';
import { ownParts } from './own-parts.ts';

/** Pixels around the plot; the row names are on the left. */
const insets = { top: 4, right: 16, bottom: 24 } as const;
/** Minimum distance between two row names, in pixels. */
const nameHeight = 13;

/** Where the parts of a heat map are. */
export interface HeatLayout {
  /** Height of all rows together; each is `rowHeight` high. */
  readonly box: PlotBox;
  readonly rowHeight: number;
  /** Pixels beside the rows. */
  readonly right: number;
  /** A name for each row, shortened as far as possible. */
  readonly names: readonly string[];
  /** Number of rows per name; the first row has a name. */
  readonly rowsPerName: number;
}

/** The layout of a heat map with these rows in an element of this size. */
export function layOutHeat(tags: readonly string[], { width, height }: { readonly width: number; readonly height: number }): HeatLayout {
  const texts = ownParts(tags).map(visibleText);
  const short = elideNames(texts, width > 700 ? 24 : width > 480 ? 16 : 11);
  const names = texts.map((text) => short.get(text)!);
  const left = leftInset(names);
  const box = {
    left,
    top: insets.top,
    width: Math.max(0, width - left - insets.right),
    height: Math.max(0, height - insets.top - insets.bottom),
  };
  const rowsPerName = box.height === 0 ? 1 : Math.max(1, Math.ceil((nameHeight * tags.length) / box.height));
  return { box, rowHeight: box.height / tags.length, right: insets.right, names, rowsPerName };
}
