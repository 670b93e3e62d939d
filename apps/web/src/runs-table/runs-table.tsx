import { useVirtualizer } from '@tanstack/react-virtual';
import { MainArea } from '../app/main-area.tsx';
import { useEffect, useMemo, useRef } from 'react';
import { changeView } from '../experiment/change-view.ts';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import type { ColumnTexts } from './cell-text.ts';
import { ConditionRow } from './condition-row.tsx';
import type { RunColumn } from './table-columns.ts';
import type { RowGroup } from './table-groups.ts';
import { ColumnHead } from './table-head.tsx';
import { GroupRow, keyName, RunTableRow } from './table-rows.tsx';
import { useColumnPlaces } from './use-column-places.ts';
import { useRowSelection } from './use-row-selection.ts';
import type { RunRowData } from './use-table-rows.ts';

const rowHeight = 32;
/** The next rows are requested when this many loaded rows are left to scroll. */
const rowsAhead = 40;

/** A line of the table: a run, or a group of runs. */
export type Line =
  | { readonly kind: 'run'; readonly row: RunRowData; readonly inGroup: boolean }
  | { readonly kind: 'group'; readonly group: RowGroup<RunRowData> };

interface RunsTableProps {
  readonly lines: readonly Line[];
  readonly columns: readonly RunColumn[];
  readonly texts: ColumnTexts;
  readonly total: number;
  readonly waiting: boolean;
  readonly onNearEnd: () => void;
  readonly groupBy: readonly string[];
  /** Null if they are not shown. */
  readonly conditions: ReadonlyMap<string, string> | null;
  readonly onFilter: (key: string, text: string) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
  /** Selects all runs that match the filters, including those that are not loaded. */
  readonly onSelectAll: () => void;
  readonly isAllSelected: boolean;
  /** Keys of expanded groups. */
  readonly open: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
}

/** The rows of the table. Only the rows on the screen are in the document. */
export function RunsTable(props: RunsTableProps) {
  const { lines, columns, texts, total, waiting, groupBy, onNearEnd, conditions, onFilter, selected, onSelect, open, onOpen } = props;
  const { onSelectAll, isAllSelected } = props;
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= lines.length - rowsAhead) onNearEnd();
  });
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const { widths, pins, styles } = useColumnPlaces(columns);
  const numbers = useMemo(() => numericColumns(columns, lines), [columns, lines]);
  const select = useRowSelection(selected, onSelect);
  return (
    <MainArea className="cards hparams runs-table" ref={scroller} tabIndex={-1} aria-busy={waiting} aria-label="Runs">
      <table aria-rowcount={total + (conditions ? 2 : 1)}>
        <thead>
          <tr>
            <td className="tick">
              <input
                type="checkbox"
                aria-label="Select all runs"
                checked={isAllSelected}
                onChange={({ target }) => (target.checked ? onSelectAll() : onSelect(new Set()))}
              />
            </td>
            <NameHead groupBy={groupBy} />
            {columns.map((column, i) => (
              <ColumnHead
                key={column.key}
                column={column}
                columns={columns}
                pin={pins[i]}
                pixels={widths.get(column.key)}
                style={styles[i]}
                isNumber={numbers.has(column.key)}
              />
            ))}
          </tr>
          {conditions && <ConditionRow {...{ columns, numbers, pins, styles, conditions, onFilter }} />}
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} aria-hidden="true" />}
          {items.map(({ index, key }) => {
            const line = lines[index]!;
            if (line.kind === 'group')
              return (
                <GroupRow
                  key={key}
                  groupBy={groupBy}
                  group={line.group}
                  columns={columns}
                  numbers={numbers}
                  pins={pins}
                  styles={styles}
                  isOpen={open.has(line.group.key)}
                  onOpen={onOpen}
                  selected={selected}
                  onSelect={select}
                />
              );
            return (
              <RunTableRow
                key={key}
                row={line.row}
                inGroup={line.inGroup}
                columns={columns}
                numbers={numbers}
                pins={pins}
                styles={styles}
                texts={texts}
                isSelected={selected.has(line.row.run)}
                onSelect={select}
              />
            );
          })}
          {after > 0 && <tr style={{ height: after }} aria-hidden="true" />}
        </tbody>
      </table>
      {lines.length === 0 && !waiting && <p className="dim empty">No runs match these filters.</p>}
    </MainArea>
  );
}

function NameHead({ groupBy }: { readonly groupBy: readonly string[] }) {
  const { view } = useWorld();
  const sort = useView((all) => all.sort);
  const direction = sort === 'name' ? 'ascending' : sort === '-name' ? 'descending' : 'none';
  return (
    <th scope="col" className="name-cell" aria-sort={direction}>
      <span className="head-cell">
        <button type="button" className="sort" onClick={() => changeView(view, { sort: direction === 'ascending' ? '-name' : 'name' })}>
          <span className="cut">{groupBy.length === 0 ? 'Run' : groupBy.map(keyName).join(' · ')}</span>
          <span aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}</span>
        </button>
      </span>
    </th>
  );
}

/** Keys of the columns with numbers. */
function numericColumns(columns: readonly RunColumn[], lines: readonly Line[]): ReadonlySet<string> {
  const rows = lines.flatMap((line) => (line.kind === 'run' ? [line.row] : line.group.rows));
  return new Set(
    columns
      .filter(
        ({ key, kind }) =>
          kind === 'metric' ||
          kind === 'count' ||
          kind === 'duration' ||
          (kind === 'hparam' && rows.some(({ cells }) => typeof cells.get(key) === 'number')),
      )
      .map(({ key }) => key),
  );
}
