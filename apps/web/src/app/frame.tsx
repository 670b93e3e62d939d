import type { ReactNode } from 'react';
import { visibleText } from '#charts';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { NavLink } from './nav-link.tsx';
import { usePage } from './page-context.ts';
import type { Reader } from './page-data.ts';

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
            <Places reader={reader} />
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

/** Where one can go in a workspace, and from it to another. */
function Places({ reader }: { readonly reader: Reader }) {
  const { base } = usePage();
  const name = visibleText(reader.workspace);
  const may = (action: string): boolean => reader.may.includes(action);
  return (
    <Menu
      side="start"
      label={`Workspace ${name}`}
      icon={
        <>
          <span className="cut">{name}</span>
          <Icon name="fold" />
        </>
      }
    >
      <nav aria-label="Workspace">
        <NavLink to="/">Experiments</NavLink>
        {may('member.list') && <NavLink to="/members">Members</NavLink>}
        {may('token.manage') && <NavLink to="/tokens">Access tokens</NavLink>}
        {may('workspace.read') && <NavLink to="/usage">Usage</NavLink>}
        {may('session.read') && <a href={`${base}/sessions`}>Signed-in browsers</a>}
        {may('person.workspaces') && <a href={`${base}/workspaces`}>Other workspaces</a>}
      </nav>
    </Menu>
  );
}
