import { useRef, useState } from 'react';
import { isMac } from './platform.ts';

/** The button's text after it is pressed. */
type Outcome = 'copied' | 'selected';

/** A command for the terminal, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const code = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    let next: Outcome = 'copied';
    try {
      await navigator.clipboard.writeText(text); // missing without HTTPS, and users may deny it
    } catch {
      getSelection()?.selectAllChildren(code.current!);
      next = 'selected';
    }
    setOutcome(next);
    setTimeout(() => setOutcome(null), next === 'copied' ? 2000 : 10_000);
  };
  return (
    <div className="command">
      <code ref={code}>{text}</code>
      <button type="button" className="quiet" onClick={() => void copy()}>
        {outcome === null ? 'Copy' : outcome === 'copied' ? 'Copied' : `Press ${isMac ? '⌘C' : 'Ctrl C'}`}
      </button>
    </div>
  );
}
