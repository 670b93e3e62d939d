import { useState } from 'react';
import { visibleText } from '#charts';
import type { RankCorrelation } from '../scatter/scatter-stats.ts';
import type { RunColumn } from '../table-columns.ts';

/** A hyperparameter and its rating. */
export interface RatedColumn {
  readonly column: RunColumn;
  readonly score: number;
  /** The standard error of the score. */
  readonly error: number;
  /** Rank correlation. Null if the values have no order, or if there are too few values. */
  readonly correlation: RankCorrelation | null;
}

/** Rows before "Show all". */
const firstRows = 10;
/** Number of standard errors on each side of a 95 % interval. */
const sides = 1.96;

interface TableProps {
  /** Most important first. */
  readonly rated: readonly RatedColumn[];
  /** Called when a hyperparameter is chosen. */
  readonly onChoose: (column: RunColumn) => void;
}

/**
 * The hyperparameters, with bars that show their importance and correlation, and the interval of
 * each.
 */
export function ImportanceTable({ rated, onChoose }: TableProps) {
  const [all, setAll] = useState(false);
  const max = Math.max(0.01, ...rated.map(({ score, error }) => score + sides * error));
  const rows = all ? rated : rated.slice(0, firstRows);
  return (
    <div className="importance-rows">
      <table>
        <thead>
          <tr>
            <th scope="col">Hyperparameter</th>
            <th scope="col" colSpan={2}>
              Importance
            </th>
            <th scope="col" colSpan={2} title="Spearman: 1 if the metric always rises with the hyperparameter, −1 if it always falls">
              Correlation
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ column, score, error, correlation }) => {
            const name = visibleText(column.name);
            const [low, high] = [score - sides * error, score + sides * error];
            return (
              <tr key={column.key} className={low <= 0 ? 'chance' : ''}>
                <th scope="row">
                  <button type="button" className="quiet cut" title={`Plot the metric against ${name}`} onClick={() => onChoose(column)}>
                    {name}
                  </button>
                </th>
                <td className="of-forest">
                  <Bar from={0} to={score / max} low={low / max} high={high / max} min={0} />
                </td>
                <td className="number" title={low <= 0 ? 'Not larger than expected by chance' : undefined}>
                  {numberText(score)} <span className="dim">± {numberText(sides * error)}</span>
                </td>
                <td className="of-ranks">
                  {correlation && <Bar from={0} to={correlation.rho} low={correlation.low} high={correlation.high} min={-1} />}
                </td>
                <td className="number">{correlation ? numberText(correlation.rho, true) : <span className="dim">–</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rated.length > firstRows && (
        <button type="button" className="quiet" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${rated.length}`}
        </button>
      )}
    </div>
  );
}

interface BarProps {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  /** The left end of the axis; the right end is 1. */
  readonly min: number;
}

/** A bar and its interval. */
function Bar({ from, to, low, high, min }: BarProps) {
  const place = (value: number): number => (100 * (Math.min(1, Math.max(min, value)) - min)) / (1 - min);
  const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))];
  return (
    <svg aria-hidden="true" height="16">
      {min < 0 && <line className="zero" x1={`${place(0)}%`} x2={`${place(0)}%`} y1="0" y2="16" />}
      <rect x={`${left}%`} width={`${right - left}%`} y="3" height="10" />
      <line x1={`${place(low)}%`} x2={`${place(high)}%`} y1="8" y2="8" />
    </svg>
  );
}

/** Two decimals, because further digits are noise. */
function numberText(value: number, isSigned = false): string {
  const text = Math.abs(value).toFixed(2);
  const isZero = Number(text) === 0;
  return `${value < 0 && !isZero ? '−' : isSigned && !isZero ? '+' : ''}${text}`;
}
