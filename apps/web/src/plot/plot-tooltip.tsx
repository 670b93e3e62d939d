import type { ReactNode } from 'react';
import type { PlotPlace } from './use-pointer.ts';

interface TooltipProps {
  /** Null: nothing is read. */
  readonly at: PlotPlace | null;
  readonly width: number;
  /** For screen readers, which a moving pointer would make talk without an end. */
  readonly isSpoken: boolean;
  readonly children: ReactNode;
}

/** What is read in a plot, beside the point. */
export function PlotTooltip({ at, width, isSpoken, children }: TooltipProps) {
  const style =
    at === null ? undefined : { top: Math.max(0, at.y - 12), ...(at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 }) };
  return (
    <div className="scatter-reading" role="status" aria-live={isSpoken ? 'polite' : 'off'} style={style} hidden={at === null}>
      {children}
    </div>
  );
}
