import { useVirtualizer } from '@tanstack/react-virtual';
import { type ComponentProps, useMemo, useRef, useState } from 'react';
import { chooseRuns, formatCount, formatDistinct, nameFilter, soloRun, type View, visibleText } from '#charts';
import type { RunJson } from '../api/types.ts';
import { LaterDialog } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { useNow } from '../app/use-now.ts';
import { type Compared, fromAddress, inAddress, runText } from '../compare/compared-run.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { ArchiveNote } from './archive-choice.tsx';
import { RunConditions } from './run-conditions.tsx';
import { RunRow } from './run-row.tsx';
import { RunSettings } from './run-settings.tsx';
import { runState, silenceText } from './run-state.ts';
import { readRunSort, sortRuns } from './run-sort.ts';
import { shorterChoice } from './shorter-choice.ts';
import { useArchiving } from './use-archiving.ts';
import { useTagsWithNaN } from './use-not-finite.ts';
import { useSeries } from './use-series.ts';

const RunDialog = later(() => import('../notes/run-dialog.tsx'));

/** Height of a row, as in the style sheet. */
const rowHeight = 28;
/** How often the states of runs are reevaluated. */
const clockMs = 15_000;
/** Number of rows in the list before the page's script runs. */
const firstRows = 60;

/**
 * The runs, which also serve as the legend. Readers can filter them, show and hide them, or show a
 * single run.
 */
export function RunList({ label = 'Runs' }: { readonly label?: string }) {
  const { view, firstCharts } = useWorld();
  const { runs, styles, listed: passing, shown, compared } = useContents();
  const [draft, setDraft] = useState<string | null>(null);
  const filter = useView(({ runFilter }) => runFilter);
  const sort = useView(({ runSort }) => runSort);
  const archived = useView((all) => all.archived);
  const series = useSeries(sort.includes(':'), compared);
  const [openRun, setOpenRun] = useState<string | null>(null);
  const archiving = useArchiving();
  const archivedCount = useMemo(() => runs.filter((one) => one.archived).length, [runs]);
  const { listed, values } = useMemo(() => {
    const sorted = sortRuns(
      runs.filter(({ run }) => passing.has(run)),
      readRunSort(sort),
      series ?? [],
    );
    const texts = formatDistinct([...sorted.values.values()]);
    return { listed: sorted.runs, values: new Map([...sorted.values.keys()].map((run, i) => [run, texts[i]!])) };
  }, [runs, passing, sort, series]);
  const stateOf = useStates();
  const changes = useRunChoice(listed, runs, compared);
  const { invalid } = nameFilter(filter);
  const all = listed.every(({ run }) => shown.has(run));
  return (
    <section className="runs" aria-label={label}>
      <div className="runs-head">
        <input
          type="search"
          className={`text-field${invalid ? ' invalid' : ''}`}
          placeholder="Filter runs by regex"
          aria-label="Filter runs by regular expression"
          title={invalid ? 'Not a valid regex; matching it as plain text' : undefined}
          value={filter}
          onChange={({ target }) => changeView(view, { runFilter: target.value })}
        />
        <RunConditions draft={draft} onDraft={setDraft} />
        <div className="runs-count">
          <span>
            {shown.size === runs.length ? formatCount(runs.length) : `${formatCount(shown.size)} of ${formatCount(runs.length)}`}{' '}
            {runs.length === 1 ? 'run' : 'runs'}
          </span>
          <button type="button" className="quiet" onClick={() => changeView(view, { onlyRuns: all ? [] : null, hiddenRuns: [] })}>
            {all ? 'Hide all' : 'Show all'}
          </button>
          <RunSettings onCondition={setDraft} archiving={archiving} />
        </div>
        {filter !== '' && (invalid || listed.length === 0) && (
          <p className="filter-note" role="status">
            {invalid ? 'Not a valid regex; matching it as plain text.' : ''}
            {listed.length === 0 ? ' No runs match.' : ''}
          </p>
        )}
        <ArchiveNote {...archiving} />
        {archivedCount > 0 && (
          <button type="button" className="quiet away" aria-pressed={archived} onClick={() => changeView(view, { archived: !archived })}>
            {archived ? `Hide ${archivedCount} archived` : `Show ${archivedCount} archived`}
          </button>
        )}
      </div>
      {firstCharts === 'server' ? (
        <div className="runs-list">
          {listed.slice(0, firstRows).map((run) => (
            <RunRow key={run.run} run={run} style={styles.get(run.run)!} shown={shown.has(run.run)} {...stateOf(run)} {...changes} />
          ))}
        </div>
      ) : (
        <VirtualRuns listed={listed} values={values} stateOf={stateOf} onTell={setOpenRun} {...changes} />
      )}
      {openRun !== null && (
        <LaterDialog title={runText(openRun)} onClose={() => setOpenRun(null)}>
          <RunDialog run={openRun} onClose={() => setOpenRun(null)} />
        </LaterDialog>
      )}
    </section>
  );
}

/** A run's state, as its row shows it. */
type StateOf = (run: RunJson) => Pick<ComponentProps<typeof RunRow>, 'state' | 'silence' | 'notFinite'>;

/** The states of all runs, reevaluated as time passes. */
function useStates(): StateOf {
  const now = useNow(clockMs);
  const stalledAfter = useView((all) => all.stalledAfter);
  const withNaN = useTagsWithNaN();
  return (run) => {
    const state = runState(run, now, stalledAfter);
    return {
      state,
      silence: state === 'stalled' ? silenceText(run.last_time, now) : undefined,
      notFinite: withNaN.get(run.run)?.map(visibleText).join(', '),
    };
  };
}

interface VirtualRunsProps extends RunChanges {
  readonly listed: ReturnType<typeof useContents>['runs'];
  /** The values of the sort key, by run. */
  readonly values: ReadonlyMap<string, string>;
  readonly stateOf: StateOf;
  readonly onTell: (run: string) => void;
}

function VirtualRuns({ listed, values, stateOf, onShow, onAlone, onTell }: VirtualRunsProps) {
  const { styles, shown } = useContents();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: listed.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  return (
    <div className="runs-list" ref={scroller} tabIndex={-1}>
      <div className="tall" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const run = listed[index]!;
          return (
            <div key={key} className="placed" style={{ transform: `translateY(${start}px)` }}>
              <RunRow
                run={run}
                style={styles.get(run.run)!}
                shown={shown.has(run.run)}
                {...stateOf(run)}
                value={values.get(run.run)}
                onShow={onShow}
                onAlone={onAlone}
                onTell={onTell}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Functions that change which runs are shown. Both functions are stable. */
interface RunChanges {
  /**
   * Shows or hides a run. With `range` (the Shift key), shows or hides all runs from the previous
   * run to this one, in list order.
   */
  readonly onShow: (run: string, show: boolean, range: boolean) => void;
  readonly onAlone: (run: string) => void;
}

function useRunChoice(listed: readonly RunJson[], all: readonly RunJson[], compared: readonly Compared[]): RunChanges {
  const { view } = useWorld();
  const latest = useRef({ listed, all, compared });
  latest.current = { listed, all, compared };
  const before = useRef<string | null>(null);
  return useMemo(() => {
    const addressed = (runs: readonly string[]): string[] => inAddress(runs, latest.current.compared);
    /** The view, with the current run names in place of those in an older URL. */
    const present = (): View => {
      const { onlyRuns, hiddenRuns } = view.value;
      const readdressed = (names: readonly string[]): string[] => addressed(fromAddress(names, latest.current.compared));
      return { ...view.value, onlyRuns: onlyRuns && readdressed(onlyRuns), hiddenRuns: readdressed(hiddenRuns) };
    };
    return {
      onShow: (run, show, range) => {
        const names = latest.current.listed.map((one) => one.run);
        const [from, to] = [names.indexOf(before.current ?? run), names.indexOf(run)];
        const chosen = range && from >= 0 ? names.slice(Math.min(from, to), Math.max(from, to) + 1) : [run];
        before.current = run;
        changeView(
          view,
          shorterChoice(chooseRuns(present(), addressed(chosen), show), addressed(latest.current.all.map((one) => one.run))),
        );
      },
      onAlone: (run) => changeView(view, soloRun(present(), addressed([run])[0]!)),
    };
  }, [view]);
}
