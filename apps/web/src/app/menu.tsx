import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';

/** A menu's message about the chosen action. Null if there is none. */
export function MenuNote({ state }: { readonly state: string | null }) {
  if (state === null) return null;
  return (
    <p className="menu-note" role="status">
      {state}
    </p>
  );
}

interface MenuProps {
  readonly label: string;
  readonly icon: ReactNode;
  /** The side of the button to which the list is aligned. */
  readonly side?: 'start' | 'end';
  /** Whether to show the list above everything around it, even inside scrolling elements. */
  readonly floating?: boolean;
  /**
   * For menus that other elements can also open: whether the menu is open, and a callback that
   * changes this.
   */
  readonly opened?: { readonly open: boolean; readonly onOpen: (open: boolean) => void };
  readonly children: ReactNode;
}

/**
 * A button with a list of actions. The list closes when it loses the focus, on Esc, or on a click
 * elsewhere.
 */
export function Menu({ label, icon, side = 'end', floating = false, opened, children }: MenuProps) {
  const own = useState(false);
  const [open, setOpen] = opened ? [opened.open, opened.onOpen] : own;
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    // Another element may have opened the menu
    if (!root.current?.contains(document.activeElement)) root.current?.querySelector('button')?.focus();
    const press = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault(); // a dialog around it stays open
      if (root.current?.contains(document.activeElement)) root.current.querySelector('button')?.focus();
      setOpen(false);
    };
    document.addEventListener('pointerdown', press);
    document.addEventListener('keydown', key);
    return () => {
      document.removeEventListener('pointerdown', press);
      document.removeEventListener('keydown', key);
    };
  }, [open, setOpen]);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!open || !floating || !list.current || !root.current) return;
    const { right, bottom, top } = root.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = list.current;
    style.position = 'fixed';
    style.right = 'auto';
    style.left = `${Math.max(8, right - width)}px`;
    style.top = `${bottom + height > innerHeight ? Math.max(8, top - height) : bottom}px`;
    const close = ({ target }: Event): void => {
      if (!list.current?.contains(target as Node)) setOpen(false);
    };
    addEventListener('scroll', close, true);
    return () => removeEventListener('scroll', close, true);
  }, [open, floating, setOpen]);
  const leave = (event: React.FocusEvent): void => {
    if (open && event.relatedTarget && !root.current?.contains(event.relatedTarget)) setOpen(false);
  };
  return (
    <div className={`menu ${side}`} ref={root} onBlur={leave}>
      <button type="button" aria-expanded={open} aria-controls={id} aria-label={label} title={label} onClick={() => setOpen(!open)}>
        {icon}
      </button>
      <div className="menu-list" id={id} ref={list} hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}
