import { type RefObject, useEffect, useRef } from 'react';

/**
 * A modal dialog while `open`. If the dialog itself is focusable, it is focused first. `onClose` is
 * called after it closes, by Esc or by `close()`. The previously focused element, or its
 * replacement with the same label, then gets the focus back.
 */
export function useModal(onClose: () => void, open = true): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!open || !element) return;
    const before = document.activeElement;
    // Not React's event, which would also come from a dialog inside this one
    const closed = (): void => latest.current();
    element.addEventListener('close', closed);
    element.showModal();
    if (element.hasAttribute('tabindex')) element.focus(); // rather than its first field, which would open a keyboard on a phone
    return () => {
      element.removeEventListener('close', closed);
      // A browser restores the focus when a dialog is closed, not when it is removed
      if ((document.activeElement ?? document.body) === document.body && before instanceof HTMLElement) presentOf(before)?.focus();
    };
  }, [open]);
  return dialog;
}

/** The element itself, or its replacement: the one with the same label. */
function presentOf(element: HTMLElement): HTMLElement | null {
  const label = element.getAttribute('aria-label');
  if (element.isConnected || label === null) return element;
  return document.querySelector<HTMLElement>(`${element.localName}[aria-label="${CSS.escape(label)}"]`);
}
