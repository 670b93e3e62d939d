import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Something to fill in or to read on top of the page, until Esc, a click beside it, or its cross. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.focus(); // rather than the first of its fields, which would open a keyboard on a phone
  }, []);
  return (
    <dialog
      className="dialog"
      ref={dialog}
      tabIndex={-1}
      aria-labelledby={id}
      onClose={onClose}
      onPointerDown={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      <button type="button" className="close" aria-label="Close" onClick={() => dialog.current?.close()}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}
