import { ColumnMenu } from '../app/column-menu.tsx';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { columnNames, columnsWithRoom } from './experiment-table.tsx';
import { homeColumns, type HomeView } from './home-view.ts';

interface ToolsProps {
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
  /** Whether there is anything to search and a table with selectable columns. */
  readonly canSearch: boolean;
  readonly isListed: boolean;
}

/** The controls of the list: search, stars, archived experiments, and columns. */
export function HomeTools({ view, onView, canSearch, isListed }: ToolsProps) {
  const narrow = useMedia(narrowQuery);
  return (
    <div className="page-tools">
      <label className="choice">
        <input type="checkbox" checked={view.starred} onChange={({ target }) => onView({ ...view, starred: target.checked })} />
        Starred only
      </label>
      <label className="choice">
        <input type="checkbox" checked={view.archived} onChange={({ target }) => onView({ ...view, archived: target.checked })} />
        Include archived
      </label>
      {canSearch && (
        <input
          type="search"
          className="text-field"
          placeholder="Search names"
          aria-label="Search experiments by name"
          value={view.text}
          onChange={({ target }) => onView({ ...view, text: target.value })}
        />
      )}
      {isListed && (
        <ColumnMenu
          columns={homeColumns.map((key) => ({ key, name: columnNames[key] }))}
          shown={view.columns ?? columnsWithRoom(narrow)}
          onShown={(columns) => onView({ ...view, columns: homeColumns.filter((one) => columns.includes(one)) })}
        />
      )}
    </div>
  );
}
