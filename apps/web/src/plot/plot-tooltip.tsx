import type { ReactNode } from 'react';
import type { PlotPlace } from './use-pointer.ts';

interface TooltipProps {
  /** Null if nothing is being read. */
  readonly at: PlotPlace | null;
  readonly width: number;
  /**
   * Whether screen readers announce the values. True only after key presses: otherwise, they would
   * speak continuously while the pointer moves.
   */
  readonly isSpoken: boolean;
  readonly children: ReactNode;
}

/** The values of the point being read, shown beside it. */
export function PlotTooltip({ at, width, isSpoken, children }: TooltipProps) {
  const style =
    at === null ? undefined : { top: Math.max(0, at.y - 12), ...(at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 }) };
  return (
    <div className="scatter-reading" role="status" aria-live={isSpoken ? 'polite' : 'off'} style={style} hidden={at === null}>
      {children}
    </div>
  );
}
