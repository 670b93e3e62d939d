import { useEffect, useRef } from 'react';
import { nameFilter } from '#charts';

/** A field for a regular expression that filters tags. The key `/` focuses it from anywhere. */
export function TagFilter({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog') !== null;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const { invalid } = nameFilter(text);
  return (
    <>
      <input
        ref={input}
        type="search"
        className={`text-field tags${invalid ? ' invalid' : ''}`}
        placeholder="Filter tags by regex"
        aria-label="Filter tags by regular expression"
        aria-keyshortcuts="/"
        title={invalid ? 'Not a valid regex; matching it as plain text' : undefined}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      {invalid && (
        <p className="filter-note" role="status">
          Not a valid regex; matching it as plain text.
        </p>
      )}
    </>
  );
}
