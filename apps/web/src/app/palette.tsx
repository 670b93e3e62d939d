import { use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { NavContext } from './nav-link.tsx';
import { usePage } from './page-context.ts';
import { matchingItems, type PaletteItem } from './palette-items.ts';

/** Keys, each with what it does. */
export type KeyList = readonly (readonly [string, string])[];

interface PaletteProps<Item extends PaletteItem> {
  readonly items: readonly Item[];
  /** Takes what leads to no place. */
  readonly onTake?: (item: Item) => void;
  /** What there is to go to, in a few words. */
  readonly hint: string;
  /** Of the page, besides those that are everywhere. */
  readonly keys?: KeyList;
}

/** Going anywhere by a few letters (⌘K), and what else the keyboard does (`?`). */
export function Palette<Item extends PaletteItem>({ items, onTake, hint, keys = [] }: PaletteProps<Item>) {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) setOpen('palette');
      else if (event.key === '?' && !typing && !event.metaKey && !event.ctrlKey) setOpen('keys');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  const close = (): void => setOpen(null);
  if (open === null) return null;
  return open === 'palette' ? (
    <Finder items={items} hint={hint} onTake={onTake} onClose={close} />
  ) : (
    <Keys keys={[['⌘K or Ctrl K', `go to ${hint}`], ...keys, ['Esc', 'close what lies on top'], ['?', 'these keys']]} onClose={close} />
  );
}

function Keys({ keys, onClose }: { readonly keys: KeyList; readonly onClose: () => void }) {
  return (
    <Floating label="Keyboard" onClose={onClose}>
      <h2>Keyboard</h2>
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
  items: all,
  hint,
  onTake,
  onClose,
}: Omit<PaletteProps<Item>, 'keys'> & { readonly onClose: () => void }) {
  const { base } = usePage();
  const go = use(NavContext);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const items = useMemo(() => matchingItems(all, typed), [all, typed]);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const take = (item: Item | undefined): void => {
    if (!item) return;
    onClose();
    if (!item.place) onTake?.(item);
    else if (item.place.apart) location.assign(base + item.place.path);
    else go?.(item.place.path);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(items.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') take(items[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Floating label="Go to" onClose={onClose}>
      <input
        type="text"
        className="filter"
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
      <ul id={id} role="listbox" aria-label="Found" ref={list}>
        {items.map((item, i) => (
          <li
            key={`${item.kind} ${item.name}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onPointerMove={() => setChosen(i)}
            onClick={() => take(item)}
          >
            <span className="cut">{item.name}</span>
            <span className="dim">{item.kind}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p className="dim">Nothing has these words in its name.</p>}
    </Floating>
  );
}

/** Something on top of the page, until Esc or a click beside it. */
function Floating({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      className="floating"
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <div className="floating-body">{children}</div>
    </dialog>
  );
}
