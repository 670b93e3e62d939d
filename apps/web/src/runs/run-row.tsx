import { memo } from 'react';
import { formatValue, type RunStyle, soloRun } from '#charts';
import type { RunJson } from '../api/types.ts';
import { useStore } from '../app/store.ts';
import { runText } from '../compare/compared-run.ts';
import { changeView } from '../experiment/change-view.ts';
import { nowhere, useWorld } from '../experiment/experiment-context.ts';
import { RunName } from './run-name.tsx';

/** A run in the list: its colour, which is also whether it is drawn; its name; and the wish to see it alone. */
export const RunRow = memo(function RunRow({
  run,
  style,
  shown,
  value,
  onShow,
}: {
  readonly run: RunJson;
  readonly style: RunStyle;
  readonly shown: boolean;
  /** What the list is sorted by. */
  readonly value?: number | undefined;
  /** `range`: all from the one that was chosen before. */
  readonly onShow: (run: string, show: boolean, range: boolean) => void;
}) {
  const { view, hover } = useWorld();
  const pointedAt = useStore(hover, (at) => at.run === run.run);
  return (
    <div
      className={`run${pointedAt ? ' on' : ''}${shown ? '' : ' off'}`}
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
      {value !== undefined && <span className="sorted-by">{formatValue(value)}</span>}
      {(run.status === 'running' || run.status === 'failure') && (
        <span className={`status ${run.status}`}>{run.status === 'failure' ? 'failed' : 'running'}</span>
      )}
      <button
        type="button"
        className="only"
        aria-label={`Show ${runText(run.run)} alone`}
        onClick={() => changeView(view, soloRun(view.value, run.run))}
      >
        only
      </button>
    </div>
  );
});
