import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

interface CellReadingProps {
  /** Position in an element, in pixels. Null if nothing is being read. */
  readonly at: { readonly place: RefObject<HTMLElement | null>; readonly x: number; readonly y: number } | null;
  /**
   * Whether screen readers announce the content. True only after key presses: otherwise, they would
   * speak continuously while the pointer moves.
   */
  readonly isSpoken: boolean;
  readonly children: ReactNode;
}

/** Shown next to a cell, above everything else. */
export function CellReading({ at, isSpoken, children }: CellReadingProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!at || !element.current) return;
    const { left, top } = at.place.current!.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = element.current;
    const x = left + at.x + 16 + width <= innerWidth - 8 ? left + at.x + 16 : Math.max(8, left + at.x - 16 - width);
    const y = Math.max(8, Math.min(top + at.y + 16, innerHeight - height - 8));
    element.current.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  });
  return createPortal(
    <div ref={element} className={`tooltip beside heat-reading${at ? ' on' : ''}`} role="status" aria-live={isSpoken ? 'polite' : 'off'}>
      {children}
    </div>,
    document.body,
  );
}
