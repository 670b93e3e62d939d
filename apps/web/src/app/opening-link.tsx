import type { MouseEvent, ReactNode } from 'react';
import { isPlainClick } from './plain-click.ts';

interface OpeningLinkProps {
  /** The URL to open in another tab, or without a script. */
  readonly href: string;
  readonly className?: string;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

/** A link that opens a dialog on this page. */
export function OpeningLink({ href, className, onOpen, children }: OpeningLinkProps) {
  const open = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a className={className} href={href} onClick={open}>
      {children}
    </a>
  );
}
