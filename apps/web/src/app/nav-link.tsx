import { createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { usePage } from './page-context.ts';
import { isPlainClick } from './plain-click.ts';

/**
 * Navigates to a path of the service without reloading the page. Null if the page has no script.
 */
export const NavContext = createContext<((path: string) => void) | null>(null);

/** A link to one of our pages. `to`: its path, without the proxy's prefix. */
export function NavLink({ to, className, children }: { readonly to: string; readonly className?: string; readonly children: ReactNode }) {
  const go = useContext(NavContext);
  const follow = (event: MouseEvent): void => {
    if (!go || !isPlainClick(event)) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a className={className} href={usePage().base + to} onClick={follow}>
      {children}
    </a>
  );
}
