import { useVirtualizer } from '@tanstack/react-virtual';
import { MainArea } from '../../app/main-area.tsx';
import { useMemo, useRef } from 'react';
import { formatCount, formatHparam, rankTag, visibleText } from '#charts';
import { ColumnMenu } from '../../app/column-menu.tsx';
import { useNow } from '../../app/use-now.ts';
import { changeView } from '../../experiment/change-view.ts';
import { nowhere, useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { runState, stateNames } from '../../runs/run-state.ts';
import { useSeries } from '../../runs/use-series.ts';
import { RunCaption } from '../run-caption.tsx';
import { type Cell, readConditions, writeConditions } from '../../runs/conditions.ts';
import { type Column, differing, metricTexts, numericColumns, type Row, sortRows, trialsOf } from './hparams-table.ts';

/** How many metrics are shown by default: the most informative ones. */
const firstMetrics = 6;
const rowHeight = 32;
/** How often the states of runs are reevaluated. */
const clockMs = 15_000;

/** Trials with their hyperparameters and results, to sort, filter and compare. */
export default function HparamsPanel() {
  const { view } = useWorld();
  const { runs, shown, compared } = useContents();
  const series = useSeries(true, compared);
  const { sort, where, columns: chosen, differ } = useView((all) => all);
  const { columns, rows } = useMemo(() => trialsOf(runs, series ?? []), [runs, series]);
  const conditions = useMemo(() => readConditions(where), [where]);
  const listed = useMemo(() => rows.filter(({ run }) => shown.has(run)), [rows, shown]);
  const wanted = columnsShown(columns, chosen);
  const seen = differ ? differing(wanted, listed) : wanted;
  const found = useMemo(() => sortRows(listed, sort), [listed, sort]);
  const filter = (key: string, text: string): void => changeView(view, { where: writeConditions(new Map([...conditions, [key, text]])) });
  return (
    <>
      <section className="toolbar" aria-label="The table">
        <span className="dim">
          {found.length === rows.length
            ? `${formatCount(rows.length)} ${rows.length === 1 ? 'run' : 'runs'}`
            : `${formatCount(found.length)} of ${formatCount(rows.length)} runs`}
        </span>
        <label className="choice">
          <input type="checkbox" checked={differ} onChange={({ target }) => changeView(view, { differ: target.checked })} />
          Hide constant columns
        </label>
        <span className="spread" />
        <ColumnMenu
          columns={columns.map(({ key, name, metric }) => ({ key, name: visibleText(name), ...(metric && { note: 'metric' }) }))}
          shown={wanted.map(({ key }) => key)}
          onShown={(keys) => changeView(view, { columns: keys })}
        />
      </section>
      <Table columns={seen} rows={found} sort={sort} conditions={conditions} onFilter={filter} waiting={series === undefined} />
    </>
  );
}

function columnsShown(columns: readonly Column[], chosen: readonly string[] | null): readonly Column[] {
  if (chosen) return columns.filter(({ key }) => chosen.includes(key));
  const metrics = columns
    .filter(({ metric }) => metric)
    .toSorted((a, b) => rankTag(a.name) - rankTag(b.name))
    .slice(0, firstMetrics);
  return columns.filter((column) => !column.metric || metrics.includes(column));
}

interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly sort: string;
  readonly conditions: ReadonlyMap<string, string>;
  readonly onFilter: (key: string, text: string) => void;
  readonly waiting: boolean;
}

function Table({ columns, rows, sort, conditions, onFilter, waiting }: TableProps) {
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const numbers = useMemo(() => numericColumns(columns, rows), [columns, rows]);
  const texts = useMemo(
    () => new Map(columns.filter(({ metric }) => metric).map(({ key }) => [key, metricTexts(key, rows)])),
    [columns, rows],
  );
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <MainArea className="cards hparams" ref={scroller} tabIndex={-1} aria-busy={waiting}>
      <table aria-rowcount={rows.length + 2}>
        <thead>
          <tr>
            <th scope="col">Run</th>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={sort} isNumber={numbers.has(column.key)} />
            ))}
          </tr>
          <tr className="conditions">
            <td />
            {columns.map(({ key, name }) => (
              <td key={key}>
                <input
                  type="search"
                  className="text-field"
                  placeholder="e.g. > 0.1"
                  title="> 0.1, <= 3, 0.1..1, or part of the text"
                  aria-label={`Filter by ${visibleText(name)}`}
                  value={conditions.get(key) ?? ''}
                  onChange={({ target }) => onFilter(key, target.value)}
                />
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {items.map(({ index, key }) => (
            <TrialRow key={key} row={rows[index]!} columns={columns} numbers={numbers} texts={texts} />
          ))}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
      {rows.length === 0 && <p className="dim empty">No runs match these filters.</p>}
    </MainArea>
  );
}

interface HeadProps {
  readonly column: Column;
  readonly sort: string;
  readonly isNumber: boolean;
}

function Head({ column: { key, name, metric }, sort, isNumber }: HeadProps) {
  const { view } = useWorld();
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = direction === 'none' ? (metric ? `-${key}` : key) : direction === 'ascending' ? `-${key}` : key;
  return (
    <th scope="col" aria-sort={direction} className={`${metric ? 'metric' : ''}${isNumber ? ' number' : ''}`}>
      <button type="button" title={visibleText(name)} onClick={() => changeView(view, { sort: next })}>
        <span className="cut">{visibleText(name)}</span>
        <span aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}</span>
      </button>
    </th>
  );
}

interface TrialRowProps {
  readonly row: Row;
  readonly columns: readonly Column[];
  readonly numbers: ReadonlySet<string>;
  /** The displayed numbers of each metric. */
  readonly texts: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

function TrialRow({ row, columns, numbers, texts }: TrialRowProps) {
  const { hover } = useWorld();
  const { run, cells } = row;
  const now = useNow(clockMs);
  const state = runState(
    row,
    now,
    useView((all) => all.stalledAfter),
  );
  return (
    <tr onPointerEnter={() => hover.set({ run, x: null })} onPointerLeave={() => hover.set(nowhere)}>
      <th scope="row">
        <RunCaption run={run}>{state === 'finished' || state === 'unknown' ? undefined : stateNames[state]}</RunCaption>
      </th>
      {columns.map(({ key }) => {
        const value = cells.get(key) ?? null;
        return (
          <td key={key} className={numbers.has(key) ? 'number' : undefined}>
            {textOf(value, texts.get(key))}
          </td>
        );
      })}
    </tr>
  );
}

function textOf(value: Cell, texts: ReadonlyMap<number, string> | undefined): string {
  if (value === null) return '–';
  return visibleText((typeof value === 'number' && texts?.get(value)) || formatHparam(value));
}
