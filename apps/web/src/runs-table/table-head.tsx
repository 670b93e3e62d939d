import type { DragEvent } from 'react';
import { toggled, visibleText } from '#charts';
import { Menu } from '../app/menu.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import { ColumnResizer } from './column-resizer.tsx';
import type { RunColumn } from './table-columns.ts';

interface HeadProps {
  readonly column: RunColumn;
  readonly columns: readonly RunColumn[];
  readonly pin: React.CSSProperties | undefined;
  /** The chosen width. */
  readonly pixels: number | undefined;
  readonly style: React.CSSProperties | undefined;
  readonly isNumber: boolean;
}

const dragged = 'application/x-plotline-column';

/**
 * The head of a column. A click sorts, dragging moves the column, and a menu has further actions.
 */
export function ColumnHead({ column, columns, pin, pixels, style, isNumber }: HeadProps) {
  const { view } = useWorld();
  const sort = useView((all) => all.sort);
  const pinned = useView((all) => all.pinnedColumns);
  const groupBy = useView((all) => all.groupBy);
  const { key, kind } = column;
  const name = visibleText(column.name);
  const keys = columns.map((one) => one.key);
  const canSort = key !== 'labels';
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const isDownFirst = kind === 'metric' || kind === 'time' || kind === 'duration' || kind === 'count';
  const next = direction === 'none' ? (isDownFirst ? `-${key}` : key) : direction === 'ascending' ? `-${key}` : key;
  const drop = (event: DragEvent): void => {
    const moved = event.dataTransfer.getData(dragged);
    if (!keys.includes(moved) || moved === key) return;
    event.preventDefault();
    const others = keys.filter((one) => one !== moved);
    others.splice(others.indexOf(key) + (keys.indexOf(moved) < keys.indexOf(key) ? 1 : 0), 0, moved);
    changeView(view, { columns: others });
  };
  const canGroup = kind === 'state' || kind === 'hparam' || kind === 'text';
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={`${isNumber ? 'number' : ''}${pin ? ' pinned' : ''}`}
      style={style}
      draggable
      onDragStart={(event) => event.dataTransfer.setData(dragged, key)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(dragged)) event.preventDefault();
      }}
      onDrop={drop}
    >
      <span className="head-cell">
        <button type="button" className="sort" title={name} disabled={!canSort} onClick={() => changeView(view, { sort: next })}>
          <span className="cut">{name}</span>
          <span aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}</span>
        </button>
        <Menu label={`Column ${name}`} icon="⋮">
          {canSort && (
            <>
              <button type="button" onClick={() => changeView(view, { sort: key })}>
                Sort ascending
              </button>
              <button type="button" onClick={() => changeView(view, { sort: `-${key}` })}>
                Sort descending
              </button>
            </>
          )}
          <button type="button" onClick={() => changeView(view, { pinnedColumns: toggled(pinned, key) })}>
            {pinned.includes(key) ? 'Unpin' : 'Pin left'}
          </button>
          {canGroup && (
            <button type="button" onClick={() => changeView(view, { groupBy: toggled(groupBy, key) })}>
              {groupBy.includes(key) ? 'Ungroup' : 'Group by this'}
            </button>
          )}
          <button
            type="button"
            onClick={() =>
              changeView(view, { columns: keys.filter((one) => one !== key), pinnedColumns: pinned.filter((one) => one !== key) })
            }
          >
            Hide
          </button>
        </Menu>
      </span>
      <ColumnResizer column={key} name={name} pixels={pixels} />
    </th>
  );
}
