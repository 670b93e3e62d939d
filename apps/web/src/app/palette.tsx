import { useQuery } from '@tanstack/react-query';
import { use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import type { ReportSummaryJson } from '../api/types.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import { useFoundExperiments } from '../home/use-found-experiments.ts';
import { Icon } from './icons.tsx';
import { NavContext } from './nav-link.tsx';
import { experimentPath } from './last-view.ts';
import { usePage } from './page-context.ts';
import { matchingItems, type PaletteItem } from './palette-items.ts';
import { reportsKey } from '../reports/report-key.ts';
import { isMac } from './platform.ts';
import { useModal } from './use-modal.ts';

/** Keys, each with a description of what it does. */
export type KeyList = readonly (readonly [string, string])[];

interface PaletteProps<Item extends PaletteItem> {
  /** Called only when the palette opens, because there can be thousands of items. */
  readonly items: () => readonly Item[];
  /** Called when an item without a destination is chosen. */
  readonly onTake?: (item: Item) => void;
  /** The possible destinations, briefly. */
  readonly hint: string;
  /** The page's own keys, in addition to the global ones. */
  readonly keys?: KeyList;
}

/** The command palette (⌘K), and the list of keyboard shortcuts (`?`). */
export function Palette<Item extends PaletteItem>({ items, onTake, hint, keys = [] }: PaletteProps<Item>) {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (document.querySelector('.dialog[open]')) return; // leaving the page would discard what was typed there
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) setOpen('palette');
      else if (event.key === '?' && !typing && !event.metaKey && !event.ctrlKey) setOpen('keys');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  // A dialog notifies us a moment after it closes, when another may already be open
  const close = (kind: 'palette' | 'keys'): void => setOpen((now) => (now === kind ? null : now));
  return (
    <>
      <button
        type="button"
        className="search"
        aria-keyshortcuts="Control+K Meta+K"
        title={`Go to ${hint}`}
        onClick={() => setOpen('palette')}
      >
        <Icon name="search" />
        <span>Search</span>
        <kbd aria-hidden="true">{shortcut}</kbd>
      </button>
      {open === 'palette' && <Finder items={items} hint={hint} onTake={onTake} onClose={() => close('palette')} />}
      {open === 'keys' && (
        <Keys
          keys={[['⌘K or Ctrl K', `go to ${hint}`], ...keys, ['Esc', 'close'], ['?', 'keyboard shortcuts']]}
          onClose={() => close('keys')}
        />
      )}
    </>
  );
}

/** In the notation of the reader's keyboard (Mac or other). */
const shortcut = isMac ? '⌘K' : 'Ctrl K';

function Keys({ keys, onClose }: { readonly keys: KeyList; readonly onClose: () => void }) {
  return (
    <Floating label="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Floating>
  );
}

function Finder<Item extends PaletteItem>({
  items: list,
  hint,
  onTake,
  onClose,
}: Omit<PaletteProps<Item>, 'keys'> & { readonly onClose: () => void }) {
  const { base } = usePage();
  const go = use(NavContext);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [all] = useState(list);
  const listbox = useRef<HTMLUListElement>(null);
  const id = useId();
  const own = useMemo(() => matchingItems(all, typed), [all, typed]);
  const items = [...own, ...useFoundReports(typed), ...useFoundItems(typed)];
  useEffect(() => {
    listbox.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const take = (index: number): void => {
    const item = own[index];
    const place = items[index]?.place;
    if (!item && !place) return;
    onClose();
    if (!place) onTake?.(item!);
    else if (place.apart) location.assign(base + place.path);
    else go?.(place.path);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(items.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') take(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Floating label="Go to" onClose={onClose}>
      <input
        type="text"
        className="text-field"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={items.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={`Go to ${hint}`}
        placeholder={`Go to ${hint}`}
        autoFocus
        value={typed}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
      />
      <ul id={id} role="listbox" aria-label="Found" ref={listbox}>
        {items.map((item, i) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input has the focus, and its keys choose
          <li
            key={`${item.kind} ${item.place?.path ?? item.name}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onPointerMove={() => setChosen(i)}
            onClick={() => take(i)}
          >
            <span className="cut">{item.name}</span>
            <span className="dim">{item.kind}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p className="dim">No matches.</p>}
    </Floating>
  );
}

/** For members, the workspace's experiments with these words in their names. */
function useFoundItems(typed: string): PaletteItem[] {
  const { base, reader } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const isWanted = reader !== null && typed.trim() !== '';
  const { found } = useFoundExperiments(api, typed, isWanted);
  if (!isWanted) return [];
  // Until the response for this text arrives, the results are those of an earlier text
  const matching = (found ?? []).filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  return matching.map((one) => ({
    name: titleOf(one),
    kind: 'experiment',
    place: { name: titleOf(one), path: experimentPath(reader?.id, one) },
  }));
}

/** For members, the reports with these words in their titles. */
function useFoundReports(typed: string): PaletteItem[] {
  const { base, reader } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const isWanted = reader?.may.includes('report.read') === true && typed.trim() !== '';
  const { data } = useQuery({
    queryKey: reportsKey,
    queryFn: ({ signal }) => api.list<ReportSummaryJson>('/reports?page_size=1000', 'reports', signal),
    enabled: isWanted,
    staleTime: 30_000,
  });
  if (!isWanted || !data) return [];
  const items = data.map(({ id, title }) => ({
    name: visibleText(title),
    kind: 'report',
    place: { name: visibleText(title), path: `/reports/${id}` },
  }));
  return matchingItems(items, typed);
}

/** An overlay that Esc or a click outside it closes. */
function Floating({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}) {
  const dialog = useModal(onClose);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc closes a dialog by itself
    <dialog
      className="floating"
      ref={dialog}
      aria-label={label}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <div className="floating-body">{children}</div>
    </dialog>
  );
}
