import { type CSSProperties, useMemo } from 'react';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { useView } from '../experiment/experiment-context.ts';
import type { RunColumn } from './table-columns.ts';

/** Widths of sticky columns in pixels, as in the style sheet. */
const pinnedWidth = 136;
const beforePins = 36 + 264;

/**
 * The chosen column widths by column key, in pixels. Also, for each column, where it is pinned and
 * the style of its cells. On a narrow screen, no column is pinned.
 */
export function useColumnPlaces(columns: readonly RunColumn[]) {
  const pinnedKeys = useView((all) => all.pinnedColumns);
  const narrow = useMedia(narrowQuery);
  const columnWidths = useView((all) => all.columnWidths);
  const widths = useMemo(() => new Map(columnWidths.map(({ key, pixels }) => [key, pixels])), [columnWidths]);
  const pins = useMemo(() => {
    let left = beforePins; // pinned columns come first
    return columns.map(({ key }): CSSProperties | undefined => {
      if (narrow || !pinnedKeys.includes(key)) return undefined;
      const pin = { left };
      left += widths.get(key) ?? pinnedWidth;
      return pin;
    });
  }, [columns, pinnedKeys, narrow, widths]);
  const styles = useMemo(
    () =>
      columns.map(({ key }, i): CSSProperties | undefined => {
        const width = widths.get(key);
        return width === undefined ? pins[i] : { ...pins[i], width, minWidth: width, maxWidth: width };
      }),
    [columns, pins, widths],
  );
  return { widths, pins, styles };
}
