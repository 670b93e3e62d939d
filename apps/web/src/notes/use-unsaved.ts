import { use, useEffect, useState } from 'react';
import { DialogContext } from '../app/dialog.tsx';

/** What somebody wants to do while something is not saved. */
interface Leaving {
  /** Does it: what is not saved is lost. */
  readonly leave: () => void;
  readonly stay: () => void;
}

interface Unsaved {
  /** Null: nobody wants to leave. */
  readonly leaving: Leaving | null;
  /** Does something that would throw away what is not saved, at once or after a question. */
  readonly before: (leave: () => void) => void;
}

/** A question, and what had the focus before it was put. */
interface Asked {
  readonly leave: () => void;
  readonly from: Element | null;
}

function ask(leave: () => void, before: Asked | null): Asked {
  return { leave, from: before?.from ?? document.activeElement };
}

/** Keeps the dialog around this component, and the browser's window, from closing without a question while something in it is not saved. */
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
