import { useState } from 'react';
import { visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu } from '../app/menu.tsx';
import { PointColumnForm } from './point-column-form.tsx';
import type { RunColumn } from './table-columns.ts';

/** Maximum entries in the list: an experiment can have thousands of tags. */
const maxListed = 80;

interface ColumnPickerProps {
  readonly all: readonly RunColumn[];
  readonly shown: readonly RunColumn[];
  readonly onShown: (keys: readonly string[] | null) => void;
  /** The menu's name. */
  readonly label?: string;
  /** The tags whose values at a step can be added as columns. Absent if there are none. */
  readonly pointTags?: readonly string[];
}

/** A menu that selects and orders columns, with a search. */
export function ColumnPicker({ all, shown, onShown, label = 'Columns', pointTags = [] }: ColumnPickerProps) {
  const [text, setText] = useState('');
  const [adding, setAdding] = useState(false);
  const keys = shown.map(({ key }) => key);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const listed = words.length === 0 ? [...shown, ...found.filter(({ key }) => !keys.includes(key))] : found;
  const move = (key: string, by: number): void => {
    const at = keys.indexOf(key);
    const others = keys.filter((one) => one !== key);
    others.splice(Math.max(0, at + by), 0, key);
    onShown(others);
  };
  if (adding)
    return (
      <Menu label={label} icon={label} opened={{ open: true, onOpen: setAdding }}>
        <PointColumnForm
          tags={pointTags}
          onAdd={(key) => {
            onShown([...keys.filter((one) => one !== key), key]);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      </Menu>
    );
  return (
    <Menu label={label} icon={label}>
      <div className="column-picker">
        <input
          type="search"
          className="text-field"
          placeholder="Find a column"
          aria-label="Find a column"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <ul className="column-list">
          {listed.slice(0, maxListed).map(({ key, name, kind, constant }) => {
            const isShown = keys.includes(key);
            return (
              <li key={key}>
                <label className="choice">
                  <input
                    type="checkbox"
                    checked={isShown}
                    onChange={({ target }) => onShown(target.checked ? [...keys, key] : keys.filter((one) => one !== key))}
                  />
                  <span className="cut" title={visibleText(name)}>
                    {visibleText(name)}
                  </span>
                  {constant && <span className="dim">constant</span>}
                  {kind === 'metric' && !isShown && <span className="dim">metric</span>}
                </label>
                {isShown && words.length === 0 && (
                  <>
                    <button
                      type="button"
                      className="quiet up"
                      aria-label={`Move ${visibleText(name)} left`}
                      disabled={keys[0] === key}
                      onClick={() => move(key, -1)}
                    >
                      <Icon name="fold" />
                    </button>
                    <button
                      type="button"
                      className="quiet"
                      aria-label={`Move ${visibleText(name)} right`}
                      disabled={keys.at(-1) === key}
                      onClick={() => move(key, 1)}
                    >
                      <Icon name="fold" />
                    </button>
                  </>
                )}
              </li>
            );
          })}
        </ul>
        {listed.length > maxListed && <p className="dim">{`${listed.length - maxListed} more: type to find them`}</p>}
        {listed.length === 0 && <p className="dim">No column has this name.</p>}
        {pointTags.length > 0 && (
          <button type="button" className="quiet" onClick={() => setAdding(true)}>
            Add value at a step…
          </button>
        )}
        <button type="button" className="quiet" onClick={() => onShown(null)}>
          Reset {label.toLowerCase()}
        </button>
      </div>
    </Menu>
  );
}
