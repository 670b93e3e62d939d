import { createContext, type KeyboardEvent, type ReactNode, type SyntheticEvent, useId, useMemo } from 'react';
import { Icon } from './icons.tsx';
import { useModal } from './use-modal.ts';

/** Allows the content of a dialog to keep it open, to protect unsaved input. */
interface DialogGuard {
  /**
   * Called before the dialog closes; returns whether the dialog can close. Null if it always can.
   */
  mayClose: (() => boolean) | null;
  /** Closes the dialog without asking. */
  readonly close: () => void;
}

export const DialogContext = createContext<DialogGuard | null>(null);

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog on top of the page. Esc, a click outside it, or its close button closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useModal(onClose);
  const id = useId();
  const guard = useMemo((): DialogGuard => ({ mayClose: null, close: () => dialog.current?.close() }), [dialog]);
  const ask = (): void => {
    if (guard.mayClose?.() ?? true) guard.close();
  };
  const stay = (event: SyntheticEvent): void => {
    if (event.target !== event.currentTarget && event.type === 'cancel') return; // from a dialog inside it
    if (!(guard.mayClose?.() ?? true)) event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) stay(event); // browsers ask once and close the dialog on the second Esc
  };
  return (
    <DialogContext value={guard}>
      <dialog
        className="dialog"
        ref={dialog}
        tabIndex={-1}
        aria-labelledby={id}
        onCancel={stay}
        onKeyDown={onKeyDown}
        onPointerDown={({ target }) => target === dialog.current && ask()}
      >
        <div className="dialog-body">
          <h2 id={id}>{title}</h2>
          {children}
        </div>
        <button type="button" className="close" aria-label="Close" onClick={ask}>
          <Icon name="close" />
        </button>
      </dialog>
    </DialogContext>
  );
}
