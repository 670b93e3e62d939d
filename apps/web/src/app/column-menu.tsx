import { Menu } from './menu.tsx';

interface ColumnMenuProps {
  /** `name`: as displayed; `note`: the kind of column. */
  readonly columns: readonly { readonly key: string; readonly name: string; readonly note?: string }[];
  /** The keys of the visible columns. */
  readonly shown: readonly string[];
  readonly onShown: (keys: readonly string[]) => void;
}

/** A menu that selects the columns of a table. */
export function ColumnMenu({ columns, shown, onShown }: ColumnMenuProps) {
  return (
    <Menu label="Columns" icon="Columns">
      <div className="column-list">
        {columns.map(({ key, name, note }) => (
          <label key={key} className="choice">
            <input
              type="checkbox"
              checked={shown.includes(key)}
              onChange={({ target }) => onShown(target.checked ? [...shown, key] : shown.filter((one) => one !== key))}
            />
            <span className="cut">{name}</span>
            {note && <span className="dim">{note}</span>}
          </label>
        ))}
      </div>
    </Menu>
  );
}
