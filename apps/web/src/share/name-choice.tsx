import { useId, useState } from 'react';
import { toggled, visibleText } from '#charts';

/** Maximum listed names; the search finds the others. */
const maxListed = 200;

interface NameChoiceProps {
  /** What is being selected, such as "Runs". */
  readonly title: string;
  readonly all: readonly string[];
  /** The names that the page currently shows, used as the initial selection. */
  readonly shown: readonly string[];
  /** Null means all names, including names added later. */
  readonly chosen: readonly string[] | null;
  readonly onChange: (chosen: readonly string[] | null) => void;
}

/** Selects either all names, or individual ones. */
export function NameChoice({ title, all, shown, chosen, onChange }: NameChoiceProps) {
  const id = useId();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = all.filter((name) => name.toLowerCase().includes(wanted));
  return (
    <fieldset className="field">
      <legend>{title}</legend>
      <label className="choice">
        <input type="radio" name={id} checked={chosen === null} onChange={() => onChange(null)} />
        All, including future ones
      </label>
      <label className="choice">
        <input type="radio" name={id} checked={chosen !== null} onChange={() => onChange(shown)} />
        Selected{chosen && `: ${chosen.length} of ${all.length}`}
      </label>
      {chosen && (
        <div className="names">
          <input
            type="search"
            className="text-field"
            placeholder={`Search ${title.toLowerCase()}`}
            aria-label={`Search ${title.toLowerCase()} to share`}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          <div className="names-list" role="group" aria-label={title} tabIndex={0}>
            {found.slice(0, maxListed).map((name) => (
              <label key={name} className="choice">
                <input type="checkbox" checked={chosen.includes(name)} onChange={() => onChange(toggled(chosen, name))} />
                <span className="cut" title={visibleText(name)}>
                  {name === '' ? '(no name)' : visibleText(name)}
                </span>
              </label>
            ))}
            {found.length > maxListed && <p className="dim">and {found.length - maxListed} more: search</p>}
            {found.length === 0 && <p className="dim">No matches.</p>}
          </div>
          <div className="buttons">
            <button type="button" className="quiet" onClick={() => onChange(shown)}>
              Currently shown
            </button>
            <button type="button" className="quiet" onClick={() => onChange([])}>
              None
            </button>
          </div>
        </div>
      )}
    </fieldset>
  );
}
