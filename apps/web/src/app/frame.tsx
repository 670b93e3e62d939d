import type { ReactNode } from 'react';
import { visibleText } from '#charts';
import { NavLink } from './nav-link.tsx';
import { usePage } from './page-context.ts';

/** The frame of every page: one thin line with the name of the place, what is going on, and who is there. */
export function Frame({ state, children }: { readonly state?: ReactNode; readonly children: ReactNode }) {
  const { base, reader } = usePage();
  return (
    <>
      <header className="bar">
        {reader ? (
          <>
            <NavLink className="mark" to="/">
              Plotline
            </NavLink>
            <a className="dim cut" href={`${base}/workspaces`}>
              {visibleText(reader.workspace)}
            </a>
          </>
        ) : (
          <span className="mark">Plotline</span>
        )}
        <span className="end">{state}</span>
        {reader && (
          <a className="dim cut wide" href={`${base}/sessions`}>
            {visibleText(reader.person)}
          </a>
        )}
      </header>
      {children}
    </>
  );
}
