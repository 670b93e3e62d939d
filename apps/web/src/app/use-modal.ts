import { type RefObject, useEffect, useRef } from 'react';

/**
 * A dialog on top of all else, while `open`. One that can have the focus itself has it at first. `onClose` is told when it was closed: by Esc, or by its own `close()`. However it goes, what had the focus
 * before has it again.
 */
export function useModal(onClose: () => void, open = true): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!open || !element) return;
    const before = document.activeElement;
    // Not React's event: that one would also come from a dialog inside of this one
    const closed = (): void => latest.current();
    element.addEventListener('close', closed);
    element.showModal();
    if (element.hasAttribute('tabindex')) element.focus(); // rather than the first of its fields, which would open a keyboard on a phone
    return () => {
      element.removeEventListener('close', closed);
      // A browser gives the focus back where a dialog is closed, not where it is taken away
      if ((document.activeElement ?? document.body) === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [open]);
  return dialog;
}
