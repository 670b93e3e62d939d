import { memo } from 'react';
import { type RunStyle, visibleText } from '#charts';
import type { RunJson } from '../api/types.ts';
import { Icon } from '../app/icons.tsx';
import { useStore } from '../app/store.ts';
import { runText } from '../compare/compared-run.ts';
import { nowhere, useWorld } from '../experiment/experiment-context.ts';
import { RunLink } from '../run-page/run-link.tsx';
import { RunName } from './run-name.tsx';
import { type RunState, stateNames } from './run-state.ts';

/** Maximum labels per row. */
const maxLabels = 2;

/**
 * A run in the list: its color, which is also a toggle, its name, and a button that shows only this
 * run.
 */
export const RunRow = memo(function RunRow({
  run,
  style,
  shown,
  state,
  silence,
  notFinite,
  value,
  onShow,
  onAlone,
  onTell,
}: {
  readonly run: RunJson;
  readonly style: RunStyle;
  readonly shown: boolean;
  readonly state: RunState;
  /** How long the run has logged nothing, if it is stalled. */
  readonly silence?: string | undefined;
  /** Tags with NaN, as text. Undefined if there are none. */
  readonly notFinite?: string | undefined;
  /** The value of the sort key. */
  readonly value?: string | undefined;
  /** `range`: toggles all runs from the previously toggled one to this one. */
  readonly onShow: (run: string, show: boolean, range: boolean) => void;
  readonly onAlone: (run: string) => void;
  /** Shows the run's details. Absent before the script runs. */
  readonly onTell?: (run: string) => void;
}) {
  const { hover } = useWorld();
  const pointedAt = useStore(hover, (at) => at.run === run.run);
  return (
    <div
      className={`run${pointedAt ? ' on' : ''}${shown ? '' : ' off'}${run.archived ? ' archived' : ''}`}
      onPointerEnter={() => hover.set({ run: run.run, x: null })}
      onPointerLeave={() => hover.set(nowhere)}
    >
      <label>
        <input
          type="checkbox"
          checked={shown}
          onChange={({ nativeEvent }) => onShow(run.run, !shown, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
        <i className={`swatch c${style.color} d${style.dash}`} />
        <RunName run={run.run} />
      </label>
      {(run.labels.length > 0 || run.notes) && (
        <span className="written-marks">
          {run.labels.slice(0, maxLabels).map((label) => (
            <span key={label} className="label cut" title={visibleText(label)}>
              {visibleText(label)}
            </span>
          ))}
          {run.notes && <Icon name="note" />}
        </span>
      )}
      {value !== undefined && <span className="sorted-by">{value}</span>}
      {notFinite !== undefined && (
        <span className="status not-finite" title={`Logged NaN in ${notFinite}`}>
          NaN
        </span>
      )}
      {state !== 'unknown' && (
        <span
          className={`status ${state}`}
          title={silence === undefined ? stateNames[state] : `Stalled: no data for ${silence}, and the run has not logged its end`}
        >
          {state === 'finished' ? <Icon name="check" /> : stateNames[state]}
          {state === 'finished' && <span className="unseen">{stateNames[state]}</span>}
        </span>
      )}
      <span className="run-actions">
        <button type="button" className="only" aria-label={`Show ${runText(run.run)} alone`} onClick={() => onAlone(run.run)}>
          only
        </button>
        <RunLink run={run.run} label={`Open run ${runText(run.run)}`}>
          ↗
        </RunLink>
        {onTell && (
          <button
            type="button"
            className="only"
            aria-label={`About ${runText(run.run)}`}
            title="Labels, notes, hyperparameters"
            onClick={() => onTell(run.run)}
          >
            <Icon name="note" />
          </button>
        )}
      </span>
    </div>
  );
});
