import { useVirtualizer } from '@tanstack/react-virtual';
import { useMutation } from '@tanstack/react-query';
import { type CSSProperties, memo, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatCount, nameFilter, toggled, visibleText } from '#charts';
import { problemText } from '../api/problem.ts';
import { Icon } from '../app/icons.tsx';
import { Menu } from '../app/menu.tsx';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { useSettled } from '../app/use-settled.ts';
import { saveFile, fileName } from '../chart/save-file.ts';
import { inAddress } from '../compare/compared-run.ts';
import { RunLink } from '../run-page/run-link.tsx';
import { changeView } from '../experiment/change-view.ts';
import { nowhere, useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { ArchiveNote } from '../runs/archive-choice.tsx';
import { type Cell, readConditions, writeConditions } from '../runs/conditions.ts';
import { useArchivable, useArchiving } from '../runs/use-archiving.ts';
import { cellText, cellTitle, columnTexts, type ColumnTexts, spreadText } from './cell-text.ts';
import { ColumnPicker } from './column-picker.tsx';
import { columnsOf, orderOf, type RunColumn, shownColumns, stepTag } from './table-columns.ts';
import { tableCsv } from './table-csv.ts';
import { filterOf } from './table-filter.ts';
import { compareCells, groupCell, groupRows, type RowGroup, sortGroups } from './table-groups.ts';
import { ColumnHead } from './table-head.tsx';
import { type RunRowData, useTableRows } from './use-table-rows.ts';

const rowHeight = 32;
/** Widths of sticky columns in pixels, as in the style sheet. */
const pinnedWidth = 136;
const beforePins = 36 + 264;
/** How long a filter must be unchanged before it is sent. */
const settleMs = 120;
/** How many rows before the end of the loaded ones the next are requested. */
const rowsAhead = 60;

/** A line of the table: a run, or a group of them. */
type Line =
  | { readonly kind: 'run'; readonly row: RunRowData; readonly inGroup: boolean }
  | { readonly kind: 'group'; readonly group: RowGroup<RunRowData> };

/** All runs of the experiment as a table: sorted and filtered by the service, grouped, compared, saved. */
export default function RunsPanel() {
  const { view } = useWorld();
  const { experiment, runs, tags, compared } = useContents();
  const { sort, columns: chosen, pinnedColumns, groupBy: grouping, runFilter, where, archived, stalledAfter } = useView((all) => all);
  const all = useMemo(() => columnsOf(runs, tags), [runs, tags]);
  const groupBy = useMemo(() => grouping.filter((key) => all.some((column) => column.key === key)), [grouping, all]);
  const step = useMemo(() => stepTag(tags), [tags]);
  const columns = useMemo(() => shownColumns(all, chosen, pinnedColumns), [all, chosen, pinnedColumns]);
  const filter = useSettled(filterOf({ runFilter, where, archived, stalledAfter }), settleMs);
  const order = orderOf(sort, all, step, stalledAfter);
  const table = useTableRows({ columns, step, filter, order, all: groupBy.length > 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtering, setFiltering] = useState(where.length > 0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const down = sort.startsWith('-');
  const sortKey = down ? sort.slice(1) : sort;
  const inOrder = useCallback(
    (unordered: readonly RunRowData[]): readonly RunRowData[] => {
      if (compared.length === 0 || sortKey === '') return unordered;
      const cell = ({ run, cells }: RunRowData): Cell => (sortKey === 'name' ? run : (cells.get(sortKey) ?? null));
      return unordered.toSorted((a, b) => compareCells(cell(a), cell(b), down));
    },
    [compared, sortKey, down],
  );
  const rows = useMemo(() => inOrder(table.rows), [inOrder, table.rows]);
  const groups = useMemo(() => {
    if (groupBy.length === 0) return null;
    const found = groupRows(rows, groupBy);
    return sortKey === '' || groupBy.includes(sortKey) ? (down ? found.toReversed() : found) : sortGroups(found, sortKey, down);
  }, [rows, groupBy, sortKey, down]);
  const lines = useMemo((): readonly Line[] => {
    if (!groups) return rows.map((row) => ({ kind: 'run', row, inGroup: false }));
    return groups.flatMap((group): Line[] => [
      { kind: 'group', group },
      ...(open.has(group.key) ? group.rows.map((row): Line => ({ kind: 'run', row, inGroup: true })) : []),
    ]);
  }, [rows, groups, open]);
  const save = useMutation({
    mutationFn: async () => {
      const wanted = inOrder(await table.readAll()).filter(({ run }) => selected.size === 0 || selected.has(run));
      saveFile(new Blob([tableCsv(columns, wanted)], { type: 'text/csv' }), fileName(`${experiment.name || experiment.id} runs`, 'csv'));
    },
  });
  const texts = useTexts(columns, rows);
  const { invalid } = nameFilter(runFilter);
  const conditions = useMemo(() => readConditions(where), [where]);
  const onFilter = (key: string, text: string): void => changeView(view, { where: writeConditions(new Map([...conditions, [key, text]])) });
  const groupable = all.filter(({ kind }) => kind === 'state' || kind === 'hparam' || kind === 'text');
  return (
    <>
      <section className="toolbar table-toolbar" aria-label="The table">
        <input
          type="search"
          className={`filter tags${invalid ? ' invalid' : ''}`}
          placeholder="Filter runs by regex"
          aria-label="Filter runs by regular expression"
          title={invalid ? 'Not a valid regex; matching it as plain text' : undefined}
          value={runFilter}
          onChange={({ target }) => changeView(view, { runFilter: target.value })}
        />
        <Selection selected={selected} total={table.total} onSelect={setSelected} />
        <span className="spread" />
        <button type="button" aria-pressed={filtering} onClick={() => setFiltering(!filtering)}>
          Filters{conditions.size > 0 ? ` (${conditions.size})` : ''}
        </button>
        <Menu label="Group by" icon={groupBy.length > 0 ? `Group by (${groupBy.length})` : 'Group by'}>
          <div className="column-list">
            {groupable.map(({ key, name, constant }) => (
              <label key={key} className="choice">
                <input
                  type="checkbox"
                  checked={groupBy.includes(key)}
                  onChange={() => changeView(view, { groupBy: toggled(groupBy, key) })}
                />
                <span className="cut">{visibleText(name)}</span>
                {constant && <span className="dim">constant</span>}
              </label>
            ))}
          </div>
        </Menu>
        <ColumnPicker all={all} shown={columns} onShown={(keys) => changeView(view, { columns: keys })} />
        <button
          type="button"
          disabled={save.isPending}
          title="Save the table as CSV: these columns, all matching runs"
          onClick={() => save.mutate()}
        >
          <Icon name="download" /> CSV
        </button>
        {save.error && (
          <p className="bad" role="alert">
            {problemText(save.error)}
          </p>
        )}
      </section>
      {table.error ? (
        <main className="cards">
          <p className="bad" role="alert">
            {problemText(table.error)}{' '}
            <button type="button" onClick={table.retry}>
              Try again
            </button>
          </p>
        </main>
      ) : (
        <Table
          lines={lines}
          columns={columns}
          texts={texts}
          total={groups || table.total === undefined ? lines.length : table.total}
          waiting={table.waiting}
          onNearEnd={table.more}
          groupBy={groupBy}
          conditions={filtering ? conditions : null}
          onFilter={onFilter}
          selected={selected}
          onSelect={setSelected}
          open={open}
          onOpen={(key) => setOpen(new Set(toggled([...open], key)))}
        />
      )}
    </>
  );
}

/** Texts of all loaded numbers, off the path of typing and scrolling. */
function useTexts(columns: readonly RunColumn[], rows: readonly RunRowData[]): ColumnTexts {
  const settled = useDeferredValue(rows);
  return useMemo(() => columnTexts(columns, settled), [columns, settled]);
}

interface SelectionProps {
  readonly selected: ReadonlySet<string>;
  readonly total: number | undefined;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/** How many runs there are; what can be done with the selected ones. */
function Selection({ selected, total, onSelect }: SelectionProps) {
  const { view } = useWorld();
  const { runs, compared } = useContents();
  const archiving = useArchiving();
  const archivable = useArchivable(useMemo(() => runs.filter(({ run }) => selected.has(run)), [runs, selected]));
  const count =
    total === undefined || total === runs.length
      ? `${formatCount(runs.length)} runs`
      : `${formatCount(total)} of ${formatCount(runs.length)} runs`;
  if (selected.size === 0)
    return (
      <>
        <span className="dim" role="status">
          {count}
        </span>
        <ArchiveNote {...archiving} />
      </>
    );
  const show = (): void =>
    changeView(view, { tab: 'scalars', onlyRuns: inAddress([...selected], compared), hiddenRuns: [], runFilter: '', where: [] });
  return (
    <>
      <span role="status">{formatCount(selected.size)} selected</span>
      <button type="button" onClick={show}>
        {selected.size === 1 ? 'Show charts' : 'Compare in charts'}
      </button>
      {[false, true].map((archived) => {
        const names = archivable.get(archived) ?? [];
        return names.length === 0 ? null : (
          <button
            key={String(archived)}
            type="button"
            disabled={archiving.busy}
            onClick={() => archiving.archive({ runs: names, archived: !archived })}
          >
            {archived ? 'Unarchive' : 'Archive'}
          </button>
        );
      })}
      <button type="button" className="quiet" onClick={() => onSelect(new Set())}>
        Clear
      </button>
      <ArchiveNote {...archiving} />
    </>
  );
}

interface TableProps {
  readonly lines: readonly Line[];
  readonly columns: readonly RunColumn[];
  readonly texts: ColumnTexts;
  readonly total: number;
  readonly waiting: boolean;
  readonly onNearEnd: () => void;
  readonly groupBy: readonly string[];
  /** Null: they are not shown. */
  readonly conditions: ReadonlyMap<string, string> | null;
  readonly onFilter: (key: string, text: string) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
  /** Keys of expanded groups. */
  readonly open: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
}

function Table(props: TableProps) {
  const { lines, columns, texts, total, waiting, groupBy, onNearEnd, conditions, onFilter, selected, onSelect, open, onOpen } = props;
  const { listed } = useContents();
  const pinnedKeys = useView((all) => all.pinnedColumns);
  const narrow = useMedia(narrowQuery);
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
  const pins = useMemo(
    () =>
      columns.map(({ key }, i): CSSProperties | undefined =>
        !narrow && pinnedKeys.includes(key) ? { left: beforePins + i * pinnedWidth } : undefined,
      ),
    [columns, pinnedKeys, narrow],
  );
  const numbers = useMemo(() => numericColumns(columns, lines), [columns, lines]);
  const select = (runs: readonly string[], isSelected: boolean): void => {
    const next = new Set(selected);
    for (const run of runs)
      if (isSelected) next.add(run);
      else next.delete(run);
    onSelect(next);
  };
  return (
    <main className="cards hparams runs-table" ref={scroller} tabIndex={-1} aria-busy={waiting} aria-label="Runs">
      <table aria-rowcount={total + (conditions ? 2 : 1)}>
        <thead>
          <tr>
            <td className="tick">
              <input
                type="checkbox"
                aria-label="Select all runs"
                checked={selected.size > 0 && selected.size >= listed.size}
                onChange={({ target }) => onSelect(new Set(target.checked ? listed : []))}
              />
            </td>
            <NameHead groupBy={groupBy} />
            {columns.map((column, i) => (
              <ColumnHead key={column.key} column={column} columns={columns} pin={pins[i]} isNumber={numbers.has(column.key)} />
            ))}
          </tr>
          {conditions && (
            <tr className="conditions">
              <td className="tick" />
              <td className="name-cell" />
              {columns.map(({ key, where, name, kind }, i) => (
                <td key={key} className={pins[i] && 'pinned'} style={pins[i]}>
                  {where !== undefined && (
                    <input
                      type="search"
                      className="filter"
                      placeholder={kind === 'state' ? 'finished' : kind === 'metric' || numbers.has(key) ? '> 0.1' : 'contains'}
                      title="> 0.1, <= 3, 0.1..1, or a part of a text"
                      aria-label={`Filter by ${visibleText(name)}`}
                      value={conditions.get(where) ?? ''}
                      onChange={({ target }) => onFilter(where, target.value)}
                    />
                  )}
                </td>
              ))}
            </tr>
          )}
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} aria-hidden="true" />}
          {items.map(({ index }) => {
            const line = lines[index]!;
            if (line.kind === 'group')
              return (
                <GroupRow
                  key={line.group.key}
                  groupBy={groupBy}
                  group={line.group}
                  columns={columns}
                  numbers={numbers}
                  pins={pins}
                  isOpen={open.has(line.group.key)}
                  onOpen={onOpen}
                  selected={selected}
                  onSelect={select}
                />
              );
            return (
              <RunTableRow
                key={line.row.run}
                row={line.row}
                inGroup={line.inGroup}
                columns={columns}
                numbers={numbers}
                pins={pins}
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
    </main>
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

/** Keys of the columns that contain numbers. */
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

interface RowProps {
  readonly columns: readonly RunColumn[];
  readonly numbers: ReadonlySet<string>;
  readonly pins: readonly (CSSProperties | undefined)[];
  readonly onSelect: (runs: readonly string[], isSelected: boolean) => void;
}

interface RunTableRowProps extends RowProps {
  readonly row: RunRowData;
  readonly inGroup: boolean;
  readonly texts: ColumnTexts;
  readonly isSelected: boolean;
}

const RunTableRow = memo(function RunTableRow({ row, inGroup, columns, numbers, pins, texts, isSelected, onSelect }: RunTableRowProps) {
  const { hover } = useWorld();
  const { run, cells, json } = row;
  return (
    <tr
      className={`${inGroup ? 'in-group' : ''}${json.archived ? ' archived' : ''}`}
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
          <td key={column.key} className={classOf(column, numbers, pins[i])} style={pins[i]} title={cellTitle(column, value)}>
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
  /** Keys of the columns that form groups. */
  readonly groupBy: readonly string[];
  readonly isOpen: boolean;
  readonly onOpen: (key: string) => void;
  readonly selected: ReadonlySet<string>;
}

function GroupRow({ group, groupBy, columns, numbers, pins, isOpen, onOpen, selected, onSelect }: GroupRowProps) {
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
        <td key={column.key} className={classOf(column, numbers, pins[i])} style={pins[i]}>
          <GroupValue column={column} rows={group.rows} />
        </td>
      ))}
    </tr>
  );
}

function groupValue(key: string, value: Cell): string {
  return value === null ? 'none' : cellText({ key, name: key, kind: key === 'state' ? 'state' : 'hparam' }, value);
}

/** The name of a column that forms groups. */
function keyName(key: string): string {
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
