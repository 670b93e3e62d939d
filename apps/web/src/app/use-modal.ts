import { type RefObject, useEffect, useRef } from 'react';

/**
 * Shows a dialog as modal while `open`. If the dialog itself is focusable, it gets the focus first.
 * Calls `onClose` after the dialog closes, by Esc or by `close()`. Then the previously focused
 * element, or its replacement with the same label, gets the focus back.
 */
export function useModal(onClose: () => void, open = true): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!open || !element) return;
    const before = document.activeElement;
    // Not React's event, which nested dialogs would also trigger
    const closed = (): void => latest.current();
    element.addEventListener('close', closed);
    element.showModal();
    if (element.hasAttribute('tabindex')) element.focus(); // not its first field, which would open the keyboard on a phone
    return () => {
      element.removeEventListener('close', closed);
      // Browsers restore the focus when a dialog is closed, but not when it is removed
      if ((document.activeElement ?? document.body) === document.body && before instanceof HTMLElement) presentOf(before)?.focus();
    };
  }, [open]);
  return dialog;
}

/** The element itself, or the element with the same label that replaced it. */
function presentOf(element: HTMLElement): HTMLElement | null {
  const label = element.getAttribute('aria-label');
  if (element.isConnected || label === null) return element;
  return document.querySelector<HTMLElement>(`${element.localName}[aria-label="${CSS.escape(label)}"]`);
}
