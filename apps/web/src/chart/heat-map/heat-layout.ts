import { elideNames, leftInset, visibleText } from '#charts';
import type { PlotBox } from '../../data/svg-axes.tsx';
import { ownParts } from './own-parts.ts';

/** Pixels around the plot; the names of the rows are on the left. */
const insets = { top: 4, right: 16, bottom: 24 } as const;
/** Minimum pixels between the names of two rows. */
const nameHeight = 13;

/** The positions of the parts of a heat map. */
export interface HeatLayout {
  /** Height of all rows, each of which has `rowHeight`. */
  readonly box: PlotBox;
  readonly rowHeight: number;
  /** Pixels beside the rows. */
  readonly right: number;
  /** A name for each row, as short as possible. */
  readonly names: readonly string[];
  /** One of this many rows has a name, starting with the first. */
  readonly rowsPerName: number;
}

/** The layout of a heat map of these rows in an element of this size. */
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
