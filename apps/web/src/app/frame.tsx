import type { ReactNode } from 'react';
import { visibleText } from '#charts';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { NavLink } from './nav-link.tsx';
import { usePage } from './page-context.ts';
import type { Reader } from './page-data.ts';
import { Palette } from './palette.tsx';
import { placeItems } from './palette-items.ts';
import { placesOf } from './places.ts';
import { ThemeMenu } from './theme-menu.tsx';

interface HeaderProps {
  readonly state?: ReactNode;
  /** If absent, the palette lists the workspace's pages. */
  readonly palette?: ReactNode;
}

/** The frame of every page. */
export function Frame({ children, ...header }: HeaderProps & { readonly children: ReactNode }) {
  return (
    <>
      <Header {...header} />
      {children}
    </>
  );
}

/** Moves the focus past the header and the run list. */
function skip(): void {
  const main = document.querySelector('main');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}

/**
 * A thin header with the service's name, the page's state, and the reader. A link before it skips
 * it.
 */
export function Header({ state, palette }: HeaderProps) {
  const { base, reader } = usePage();
  return (
    <>
      <button type="button" className="skip" onClick={skip}>
        Skip to content
      </button>
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
        {palette ?? (reader && <Palette items={() => placeItems(reader)} hint="a page, an experiment or a report" />)}
        <ThemeMenu />
        {reader && (
          <a className="dim cut wide" href={`${base}/sessions`}>
            {visibleText(reader.person)}
          </a>
        )}
      </header>
    </>
  );
}

/** Links to the workspace's pages, and to other workspaces. */
function Places({ reader }: { readonly reader: Reader }) {
  const { base } = usePage();
  const workspace = visibleText(reader.workspace);
  return (
    <Menu
      side="start"
      label={`Workspace ${workspace}`}
      icon={
        <>
          <span className="cut">{workspace}</span>
          <Icon name="fold" />
        </>
      }
    >
      <nav aria-label="Workspace">
        {placesOf(reader).map(({ name, path, apart }) =>
          apart ? (
            <a key={path} href={base + path}>
              {name}
            </a>
          ) : (
            <NavLink key={path} to={path}>
              {name}
            </NavLink>
          ),
        )}
      </nav>
    </Menu>
  );
}
