import { useEffect, useState } from 'react';
import { nowhere, useWorld } from '../../experiment/experiment-context.ts';
import type { HeatCell } from './heat-cells.ts';
import type { CellIndex } from './read-cells.ts';

/** Reads one cell, with the pointer or with keys. Other charts show its position. */
export function useHeatReading(cells: readonly (readonly HeatCell[])[]) {
  const { hover } = useWorld();
  const [reading, setReading] = useState<(CellIndex & { readonly byKey: boolean }) | null>(null);
  useEffect(() => () => hover.set(nowhere), [hover]);
  const row = reading && cells[reading.row];
  // New points may have merged some cells
  const at = row && row.length > 0 ? Math.min(reading.at, row.length - 1) : -1;
  return {
    /** The cell being read; null if there is none. */
    read: row && at >= 0 ? { row: reading.row, at, cell: row[at]! } : null,
    /** Whether a cell was selected for reading, even if it no longer exists. */
    isReading: reading !== null,
    byKey: reading?.byKey === true,
    set: (next: CellIndex | null, byKey: boolean): void => {
      setReading(next && { ...next, byKey });
      const found = next && cells[next.row]?.[next.at];
      hover.set(found ? { run: null, x: found.line.x[found.index]! } : nowhere);
    },
  };
}
