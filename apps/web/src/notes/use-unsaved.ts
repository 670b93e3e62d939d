import { use, useEffect, useState } from 'react';
import { DialogContext } from '../app/dialog.tsx';

/** An action that would discard unsaved input. */
interface Leaving {
  /** Performs the action; unsaved input is lost. */
  readonly leave: () => void;
  readonly stay: () => void;
}

interface Unsaved {
  /** Null if no such action is pending. */
  readonly leaving: Leaving | null;
  /**
   * Performs an action that would discard unsaved input: immediately if there is none, otherwise
   * after confirmation.
   */
  readonly before: (leave: () => void) => void;
}

/** A pending confirmation, and the element that had the focus before. */
interface Asked {
  readonly leave: () => void;
  readonly from: Element | null;
}

function ask(leave: () => void, before: Asked | null): Asked {
  return { leave, from: before?.from ?? document.activeElement };
}

/**
 * Keeps the dialog around this component and the browser window from closing without confirmation
 * while there is unsaved input.
 */
export function useUnsaved(unsaved: boolean): Unsaved {
  const dialog = use(DialogContext);
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    if (!unsaved) return;
    const stop = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', stop);
    if (dialog)
      dialog.mayClose = () => {
        setAsked((before) => ask(dialog.close, before));
        return false;
      };
    return () => {
      removeEventListener('beforeunload', stop);
      if (dialog) dialog.mayClose = null;
      setAsked(null);
    };
  }, [dialog, unsaved]);
  const stay = (): void => {
    setAsked(null);
    if (asked?.from instanceof HTMLElement) asked.from.focus();
  };
  return {
    leaving: asked && unsaved ? { leave: asked.leave, stay } : null,
    before: (leave) => (unsaved ? setAsked((earlier) => ask(leave, earlier)) : leave()),
  };
}
