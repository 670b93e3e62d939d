import type { ReactNode } from 'react';
import { hasRunPlot, nameFilter } from '#charts';
import { problemText } from '../api/problem.ts';
import { Icon } from '../app/icons.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import { ColumnPicker } from './column-picker.tsx';
import { GroupMenu } from './group-menu.tsx';
import { toggledPlot } from './scatter/plot-columns.ts';
import type { RunColumn } from './table-columns.ts';
import type { useTableColumns } from './use-table-columns.ts';

interface ToolbarProps extends Pick<ReturnType<typeof useTableColumns>, 'all' | 'pointTags' | 'groupBy'> {
  /** The table's columns. */
  readonly shown: readonly RunColumn[];
  /** Whether the table has fields for conditions, and how many conditions are set. */
  readonly isFiltering: boolean;
  readonly filters: number;
  readonly onFiltering: () => void;
  readonly isSaving: boolean;
  readonly onSave: () => void;
  /** Why an action failed. */
  readonly error: Error | null;
  /** The actions for the selected runs. */
  readonly children: ReactNode;
}

/** The filter by name, and the choice of the table's parts. */
export function RunsToolbar(props: ToolbarProps) {
  const { all, shown, pointTags, groupBy, isFiltering, filters, onFiltering, isSaving, onSave, error, children } = props;
  const { view } = useWorld();
  const runFilter = useView((one) => one.runFilter);
  const { invalid } = nameFilter(runFilter);
  const isPlotted = useView(hasRunPlot);
  const plotChange = toggledPlot(view.value, all, shown);
  return (
    <section className="toolbar table-toolbar" aria-label="The table">
      <input
        type="search"
        className={`text-field tags${invalid ? ' invalid' : ''}`}
        placeholder="Filter runs by regex"
        aria-label="Filter runs by regular expression"
        title={invalid ? 'Not a valid regex; matching it as plain text' : undefined}
        value={runFilter}
        onChange={({ target }) => changeView(view, { runFilter: target.value })}
      />
      {children}
      <span className="spread" />
      <button
        type="button"
        aria-pressed={isPlotted}
        title="Plot a point or a line for each run, over the columns that you choose"
        disabled={plotChange === null}
        onClick={() => plotChange && changeView(view, plotChange)}
      >
        Plot
      </button>
      <button type="button" aria-pressed={isFiltering} onClick={onFiltering}>
        Filters{filters > 0 ? ` (${filters})` : ''}
      </button>
      <GroupMenu all={all} groupBy={groupBy} />
      <ColumnPicker all={all} shown={shown} onShown={(keys) => changeView(view, { columns: keys })} pointTags={pointTags} />
      <button type="button" disabled={isSaving} title="Save the table as CSV: these columns, all matching runs" onClick={onSave}>
        <Icon name="download" /> CSV
      </button>
      {error && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
    </section>
  );
}
