import { useMutation } from '@tanstack/react-query';
import { MainArea } from '../app/main-area.tsx';
import { useDeferredValue, useMemo, useState } from 'react';
import { hasRunPlot } from '#charts';
import { problemText } from '../api/problem.ts';
import { useThrottled } from '../app/use-settled.ts';
import { saveFile, fileName } from '../chart/save-file.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { readConditions, writeConditions } from '../runs/conditions.ts';
import { columnTexts, type ColumnTexts } from './cell-text.ts';
import { ImportancePlot } from './importance/importance-plot.tsx';
import { kindOf } from './parallel/parallel-columns.ts';
import { ParallelPlot } from './parallel/parallel-plot.tsx';
import { RunsTable } from './runs-table.tsx';
import { RunsToolbar } from './runs-toolbar.tsx';
import { SelectedRuns } from './selected-runs.tsx';
import { ScatterPlot } from './scatter/scatter-plot.tsx';
import { orderOf, type RunColumn } from './table-columns.ts';
import { tableCsv } from './table-csv.ts';
import { filterOf } from './table-filter.ts';
import { useDeletingRuns } from './use-deleting-runs.ts';
import { useTableColumns } from './use-table-columns.ts';
import { useTableLines } from './use-table-lines.ts';
import { type RunRowData, useTableRows } from './use-table-rows.ts';

const plots = { scatter: ScatterPlot, parallel: ParallelPlot, importance: ImportancePlot } as const;

/** How long a filter must stay unchanged before it is sent, if it changed shortly before. */
const settleMs = 40;

/**
 * All runs of the experiment in a table. The service sorts and filters them; readers can group,
 * compare and save them.
 */
export default function RunsPanel() {
  const { view } = useWorld();
  const { experiment } = useContents();
  const { sort, runFilter, where, archived, stalledAfter } = useView((one) => one);
  const { all, columns, pointTags, groupBy, step } = useTableColumns();
  const filter = useThrottled(filterOf({ runFilter, where, archived, stalledAfter }), settleMs);
  const order = orderOf(sort, all, step, stalledAfter);
  const table = useTableRows({ columns, step, filter, order, all: groupBy.length > 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtering, setFiltering] = useState(where.length > 0);
  const deleting = useDeletingRuns();
  const { inOrder, rows, lines, open, onOpen } = useTableLines(table.rows, deleting.gone, groupBy);
  const save = useMutation({
    mutationFn: async () => {
      const wanted = inOrder(await table.readAll()).filter(({ run }) => selected.size === 0 || selected.has(run));
      saveFile(new Blob([tableCsv(columns, wanted)], { type: 'text/csv' }), fileName(`${experiment.name || experiment.id} runs`, 'csv'));
    },
  });
  const selectAll = useMutation({
    mutationFn: async () => (await table.readNames()).filter((run) => !deleting.gone.has(run)),
    onSuccess: (names) => setSelected(new Set(names)),
  });
  const isAllSelected =
    rows.length > 0 && table.total !== undefined && selected.size >= table.total && rows.every(({ run }) => selected.has(run));
  const texts = useTexts(columns, rows);
  const conditions = useMemo(() => readConditions(where), [where]);
  const onFilter = (key: string, text: string): void => changeView(view, { where: writeConditions(new Map([...conditions, [key, text]])) });
  const isPlotted = useView(hasRunPlot);
  const Plot = plots[useView(kindOf)];
  return (
    <>
      <RunsToolbar
        {...{ all, pointTags, groupBy }}
        shown={columns}
        isFiltering={filtering}
        filters={conditions.size}
        onFiltering={() => setFiltering(!filtering)}
        isSaving={save.isPending}
        onSave={() => save.mutate()}
        error={save.error ?? selectAll.error}
      >
        <SelectedRuns selected={selected} total={table.total} onSelect={setSelected} deleting={deleting} />
      </RunsToolbar>
      {isPlotted && <Plot all={all} shown={columns} step={step} selected={selected} onSelect={setSelected} />}
      {table.error ? (
        <MainArea className="cards">
          <p className="bad" role="alert">
            {problemText(table.error)}{' '}
            <button type="button" onClick={table.retry}>
              Try again
            </button>
          </p>
        </MainArea>
      ) : (
        <RunsTable
          lines={lines}
          columns={columns}
          texts={texts}
          total={groupBy.length > 0 || table.total === undefined ? lines.length : table.total}
          waiting={table.waiting}
          onNearEnd={table.more}
          groupBy={groupBy}
          conditions={filtering ? conditions : null}
          onFilter={onFilter}
          selected={selected}
          onSelect={setSelected}
          onSelectAll={() => selectAll.mutate()}
          isAllSelected={isAllSelected}
          open={open}
          onOpen={onOpen}
        />
      )}
    </>
  );
}

/**
 * Maximum number of rows with numbers that are formatted immediately, so that these rows are
 * rendered only once.
 */
const fewRows = 500;

/**
 * All loaded numbers, formatted as text. If there are many, formatting waits while the reader types
 * or scrolls.
 */
function useTexts(columns: readonly RunColumn[], rows: readonly RunRowData[]): ColumnTexts {
  const deferred = useDeferredValue(rows);
  const settled = rows.length <= fewRows ? rows : deferred;
  return useMemo(() => columnTexts(columns, settled), [columns, settled]);
}
