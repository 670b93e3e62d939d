import { useState } from 'react';

/** A line for a terminal, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <div className="command">
      <code>{text}</code>
      <button type="button" className="quiet" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
