import type { HTMLAttributes, KeyboardEvent, RefObject } from 'react';

interface ReadablePlotProps extends Omit<HTMLAttributes<HTMLDivElement>, 'onKeyDown' | 'onBlur'> {
  readonly element: RefObject<HTMLDivElement | null>;
  /** The kind of plot for screen readers, such as `scatter plot`. */
  readonly kind: string;
  /** The accessible name: what the plot shows, and what the keys do. */
  readonly label: string;
  /** Called for keys without Ctrl, Alt or Meta. Returns whether it handled the key. */
  readonly onKey: (key: string) => boolean;
  /** Called when the plot loses the focus. */
  readonly onLeave: () => void;
}

/**
 * The element of a plot that readers explore with the pointer or with keys. It is a single tab stop
 * with a name. Keys that the plot handles have no other effect.
 */
export function ReadablePlot({ element, kind, label, onKey, onLeave, children, ...others }: ReadablePlotProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !onKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation(); // a dialog around the plot also handles arrows and Esc
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application is a widget
    <div
      {...others}
      ref={element}
      // The same role as for charts, because screen readers then forward the arrow keys to the page
      role="application"
      aria-roledescription={kind}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application is a widget
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={onLeave}
    >
      {children}
    </div>
  );
}
