import type { ReactNode } from 'react';

interface ReadingProps {
  readonly at: { readonly x: number; readonly y: number } | null;
  readonly width: number;
  /** For screen readers, which a moving pointer would make talk without an end. */
  readonly isSpoken: boolean;
  readonly children: ReactNode;
}

/** The values of the run at the pointer, or of the one that keys selected. */
export function PlotReading({ at, width, isSpoken, children }: ReadingProps) {
  const style =
    at === null ? undefined : { top: Math.max(0, at.y - 12), ...(at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 }) };
  return (
    <div className="scatter-reading" role="status" aria-live={isSpoken ? 'polite' : 'off'} style={style} hidden={at === null}>
      {children}
    </div>
  );
}
