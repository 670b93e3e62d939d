import type { SyntheticEvent } from 'react';
import { type ScaleKind, scaleKinds, visibleText } from '#charts';
import { Menu } from '../../app/menu.tsx';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { cellText } from '../cell-text.ts';
import type { RunColumn } from '../table-columns.ts';
import type { AxisRange } from './axis-range.ts';
import type { ParallelAxis } from './parallel-axis.ts';
import { rangeKey } from './parallel-columns.ts';

interface AxisMenuProps {
  readonly column: RunColumn;
  readonly axis: ParallelAxis;
  /** The range that its condition selects; null if there is no condition. */
  readonly range: AxisRange | null;
  readonly onRange: (range: AxisRange) => void;
}

/** The name of an axis, with a menu for its range, scale and position. */
export function AxisMenu({ column, axis, range, onRange }: AxisMenuProps) {
  const { view } = useWorld();
  const plotAxes = useView((one) => one.plotAxes);
  const scales = useView((one) => one.plotAxisScales);
  const { key } = column;
  const name = visibleText(column.name);
  const at = plotAxes.indexOf(key);
  const move = (by: number): void => {
    const others = plotAxes.filter((one) => one !== key);
    others.splice(at + by, 0, key);
    changeView(view, { plotAxes: others });
  };
  const setScale = (kind: string): void => {
    const others = scales.filter((one) => one.key !== key);
    changeView(view, { plotAxisScales: kind === '' ? others : [...others, { key, kind: kind as ScaleKind }] });
  };
  return (
    <Menu
      label={`Axis ${name}`}
      floating
      icon={
        <span className={`cut${range ? ' changed' : ''}`} title={name}>
          {name}
        </span>
      }
    >
      <div className="menu-form">
        {rangeKey(column) !== undefined && <RangeForm column={column} axis={axis} range={range} onRange={onRange} />}
        {axis.scale && (
          <label>
            Scale
            <select
              aria-label={`${name} scale`}
              value={scales.find((one) => one.key === key)?.kind ?? ''}
              onChange={({ target }) => setScale(target.value)}
            >
              <option value="">automatic</option>
              {scaleKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {kind}
                </option>
              ))}
            </select>
          </label>
        )}
        <div>
          <button type="button" onClick={() => changeView(view, { plotColor: key })}>
            Color by this
          </button>
          <button type="button" disabled={at <= 0} onClick={() => move(-1)}>
            Move left
          </button>
          <button type="button" disabled={at === plotAxes.length - 1} onClick={() => move(1)}>
            Move right
          </button>
          <button
            type="button"
            disabled={plotAxes.length === 1}
            onClick={() => changeView(view, { plotAxes: plotAxes.filter((one) => one !== key) })}
          >
            Remove
          </button>
        </div>
      </div>
    </Menu>
  );
}

/** The bounds of an axis as text fields, or its values as checkboxes. */
function RangeForm({ column, axis, range, onRange }: AxisMenuProps) {
  const name = visibleText(column.name);
  if (!axis.scale) {
    const chosen = range?.kind === 'values' ? range.values : [];
    return (
      <fieldset className="axis-values">
        <legend>Only these</legend>
        {axis.values.map((value) => (
          <label key={`${typeof value} ${value}`} className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(value!)}
              onChange={({ target }) =>
                onRange({ kind: 'values', values: target.checked ? [...chosen, value!] : chosen.filter((one) => one !== value) })
              }
            />
            <span className="cut">{cellText(column, value)}</span>
          </label>
        ))}
      </fieldset>
    );
  }
  const { low, high } = range?.kind === 'bounds' ? range : { low: null, high: null };
  const apply = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const bound = (field: string): number | null => {
      const text = (form.get(field) as string).trim().replace('−', '-');
      return text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
    };
    onRange({ kind: 'bounds', low: bound('low'), high: bound('high') });
  };
  return (
    <form key={`${low} ${high}`} className="axis-bounds" onSubmit={apply}>
      <label>
        From
        <input name="low" className="text-field" inputMode="decimal" aria-label={`Minimum ${name}`} defaultValue={low ?? ''} />
      </label>
      <label>
        To
        <input name="high" className="text-field" inputMode="decimal" aria-label={`Maximum ${name}`} defaultValue={high ?? ''} />
      </label>
      <button type="submit">Filter</button>
    </form>
  );
}
