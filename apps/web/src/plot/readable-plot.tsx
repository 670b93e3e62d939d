import type { HTMLAttributes, KeyboardEvent, RefObject } from 'react';

interface ReadablePlotProps extends Omit<HTMLAttributes<HTMLDivElement>, 'onKeyDown' | 'onBlur'> {
  readonly element: RefObject<HTMLDivElement | null>;
  /** Its description for screen readers, such as `scatter plot`. */
  readonly kind: string;
  /** Its accessible name: the content, and the effects of keys. */
  readonly label: string;
  /** Called for keys without Ctrl, Alt or Meta; returns whether the key did something. */
  readonly onKey: (key: string) => boolean;
  /** The focus leaves the plot. */
  readonly onLeave: () => void;
}

/**
 * The element of a plot that is read with the pointer and with keys: a single tab stop with a name.
 * A key that the plot handles has no other effect.
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
      // As for charts: with this role, screen readers forward the arrow keys to the page
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
