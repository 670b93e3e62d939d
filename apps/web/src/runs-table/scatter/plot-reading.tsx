import { visibleText } from '#charts';
import { runText } from '../../compare/compared-run.ts';
import { PlotTooltip } from '../../plot/plot-tooltip.tsx';
import type { PlotPlace } from '../../plot/use-pointer.ts';
import type { Cell } from '../../runs/conditions.ts';
import { cellText, cellTitle } from '../cell-text.ts';
import type { RunColumn } from '../table-columns.ts';

interface ReadingProps {
  /** Null if nothing is being read. */
  readonly at: PlotPlace | null;
  readonly width: number;
  /**
   * Whether screen readers announce the values. True only after key presses: otherwise, they would
   * speak continuously while the pointer moves.
   */
  readonly isSpoken: boolean;
  readonly run: string | null;
  readonly values: readonly { readonly column: RunColumn; readonly cell: Cell }[];
}

/** The values of the run at the pointer, or of the run that was reached with keys. */
export function PlotReading({ at, width, isSpoken, run, values }: ReadingProps) {
  return (
    <PlotTooltip at={at} width={width} isSpoken={isSpoken}>
      {run !== null && (
        <>
          <b>{runText(run)}</b>
          {values.map(({ column, cell }, i) => (
            <span key={i}>
              {visibleText(column.name)} {cellTitle(column, cell, noCells) ?? cellText(column, cell)}
            </span>
          ))}
        </>
      )}
    </PlotTooltip>
  );
}

const noCells: ReadonlyMap<string, Cell> = new Map();
