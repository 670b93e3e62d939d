import { type CSSProperties, memo } from 'react';
import { formatCount, visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { useStore } from '../app/store.ts';
import { nowhere, useWorld } from '../experiment/experiment-context.ts';
import { RunLink } from '../run-page/run-link.tsx';
import type { Cell } from '../runs/conditions.ts';
import { cellText, cellTitle, type ColumnTexts, spreadText } from './cell-text.ts';
import type { RunColumn } from './table-columns.ts';
import { groupCell, type RowGroup } from './table-groups.ts';
import type { RunRowData } from './use-table-rows.ts';

interface RowProps {
  readonly columns: readonly RunColumn[];
  readonly numbers: ReadonlySet<string>;
  readonly pins: readonly (CSSProperties | undefined)[];
  /** The style of each column's cells: the pinned position and the chosen width. */
  readonly styles: readonly (CSSProperties | undefined)[];
  readonly onSelect: (runs: readonly string[], isSelected: boolean) => void;
}

interface RunTableRowProps extends RowProps {
  readonly row: RunRowData;
  readonly inGroup: boolean;
  readonly texts: ColumnTexts;
  readonly isSelected: boolean;
}

/** The row of a single run. */
export const RunTableRow = memo(function RunTableRow({
  row,
  inGroup,
  columns,
  numbers,
  pins,
  styles,
  texts,
  isSelected,
  onSelect,
}: RunTableRowProps) {
  const { hover } = useWorld();
  const { run, cells, json } = row;
  const isPointed = useStore(hover, (at) => at.run === run);
  return (
    <tr
      className={`${inGroup ? 'in-group' : ''}${json.archived ? ' archived' : ''}${isPointed ? ' pointed' : ''}`}
      aria-selected={isSelected}
      onPointerEnter={() => hover.set({ run, x: null })}
      onPointerLeave={() => hover.set(nowhere)}
    >
      <td className="tick">
        <input
          type="checkbox"
          aria-label={`Select ${visibleText(run)}`}
          checked={isSelected}
          onChange={({ target }) => onSelect([run], target.checked)}
        />
      </td>
      <th scope="row" className="name-cell">
        <RunLink run={run} />
      </th>
      {columns.map((column, i) => {
        const value = cells.get(column.key) ?? null;
        return (
          <td
            key={column.key}
            className={classOf(column, numbers, pins[i])}
            style={styles[i]}
            title={column.kind === 'time' ? undefined : cellTitle(column, value, cells)}
            // Formatting times in full is slow, so only the time under the pointer is formatted
            onPointerEnter={
              column.kind === 'time' ? ({ currentTarget }) => (currentTarget.title = cellTitle(column, value, cells) ?? '') : undefined
            }
          >
            {column.kind === 'state' ? <State value={value} column={column} /> : cellText(column, value, texts)}
          </td>
        );
      })}
    </tr>
  );
});

function State({ value, column }: { readonly value: Cell; readonly column: RunColumn }) {
  if (value === 'unknown' || value === null) return <span className="dim">–</span>;
  return (
    <span className={`run-state ${String(value)}`}>
      <i />
      {cellText(column, value)}
    </span>
  );
}

function classOf({ key }: RunColumn, numbers: ReadonlySet<string>, pin: CSSProperties | undefined): string | undefined {
  const names = [numbers.has(key) ? 'number' : '', pin ? 'pinned' : ''].filter(Boolean);
  return names.length > 0 ? names.join(' ') : undefined;
}

interface GroupRowProps extends RowProps {
  readonly group: RowGroup<RunRowData>;
  /** Keys of the grouping columns. */
  readonly groupBy: readonly string[];
  readonly isOpen: boolean;
  readonly onOpen: (key: string) => void;
  readonly selected: ReadonlySet<string>;
}

/** The row of a group of runs, with their common values, or mean and spread. */
export function GroupRow({ group, groupBy, columns, numbers, pins, styles, isOpen, onOpen, selected, onSelect }: GroupRowProps) {
  const runs = group.rows.map(({ run }) => run);
  const name = group.values.map((value, i) => groupValue(groupBy[i]!, value)).join(' · ');
  const full = group.values.map((value, i) => `${keyName(groupBy[i]!)}: ${groupValue(groupBy[i]!, value)}`).join(', ');
  return (
    <tr className="group-row">
      <td className="tick">
        <input
          type="checkbox"
          aria-label={`Select the runs with ${full}`}
          checked={runs.every((run) => selected.has(run))}
          onChange={({ target }) => onSelect(runs, target.checked)}
        />
      </td>
      <th scope="row" className="name-cell">
        <button type="button" className="sort" aria-expanded={isOpen} onClick={() => onOpen(group.key)}>
          <Icon name="fold" />
          <span className="cut" title={full}>
            {name}
          </span>
          <span className="dim">{formatCount(runs.length)}</span>
        </button>
      </th>
      {columns.map((column, i) => (
        <td key={column.key} className={classOf(column, numbers, pins[i])} style={styles[i]}>
          <GroupValue column={column} rows={group.rows} />
        </td>
      ))}
    </tr>
  );
}

function groupValue(key: string, value: Cell): string {
  return value === null ? 'none' : cellText({ key, name: key, kind: key === 'state' ? 'state' : 'hparam' }, value);
}

/** The name of a grouping column. */
export function keyName(key: string): string {
  return visibleText(key.replace(/^h:/, ''));
}

function GroupValue({ column, rows }: { readonly column: RunColumn; readonly rows: readonly RunRowData[] }) {
  const cell = groupCell(rows, column.key);
  if (!cell) return <span className="dim">–</span>;
  if (cell.kind === 'value') return column.kind === 'state' ? <State value={cell.value} column={column} /> : cellText(column, cell.value);
  if (cell.kind === 'several') return <span className="dim">{cell.count} values</span>;
  if (column.kind === 'time') return <span title="The earliest start">{cellText(column, cell.min)}</span>;
  if (cell.std === null || cell.std === 0) return cellText(column, cell.mean);
  return <span title={`Mean ± standard deviation of ${cell.count} runs`}>{spreadText(column, cell.mean, cell.std)}</span>;
}
